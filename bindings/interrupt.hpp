// Where the GIL is released and taken back, and how Ctrl-C is noticed meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"

namespace dpdtree::python {

// When the interpreter shuts down, a daemon thread never gets the GIL again. Before
// Python 3.14 asking for it ends the thread: its stack is unwound, and the first
// noexcept frame (every function of nanobind has one) makes that an abort of the
// process. Nobody waits for such a thread: it sleeps until the process is gone.
[[noreturn]] inline void park() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Calls Python's C interface, out of which no exception comes but such an unwinding.
template <class Call>
auto call_python(const Call& call) {
  try {
    return call();
  } catch (...) {
    park();
  }
}

inline bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Releases the GIL while it lives. The thread's own state is kept: unlike what nanobind
// and PyGILState_Ensure look up, it may be used at any stage of a shutdown.
class GilRelease {
 public:
  GilRelease() : outer_(innermost_), state_(PyEval_SaveThread()) { innermost_ = this; }
  ~GilRelease() {
    take_back();
    innermost_ = outer_;
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  void take_back() {
    if (is_finalizing() && !finalizes_) park();
    // The shutdown may begin just now.
    call_python([&] { PyEval_RestoreThread(state_); });
  }

  static GilRelease& of_this_thread() { return *innermost_; }

 private:
  static inline thread_local GilRelease* innermost_ = nullptr;

  GilRelease* outer_;
  bool finalizes_ = is_finalizing();  // while holding the GIL: the shutdown is its own
  PyThreadState* state_;
};

// Holds the GIL while it lives, within the work of a GilRelease and on its thread.
class GilHold {
 public:
  GilHold() { GilRelease::of_this_thread().take_back(); }
  ~GilHold() { PyEval_SaveThread(); }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;
};

// Called by the fitting thread every 20 ms, without the GIL.
inline bool interrupted() {
  const GilHold gil;
  return call_python([] { return PyErr_CheckSignals(); }) != 0;
}

// The same, and tells a callback (None: nobody) what is being done meanwhile; what it
// raises ends the fit as Ctrl-C does.
template <class... Args>
bool interrupted_while(const nanobind::object& callback, const Args&... args) {
  if (callback.is_none()) return interrupted();
  const GilHold gil;
  if (call_python([] { return PyErr_CheckSignals(); }) != 0) return true;
  const nanobind::tuple given = nanobind::make_tuple(args...);
  PyObject* answer =
      call_python([&] { return PyObject_Call(callback.ptr(), given.ptr(), nullptr); });
  Py_XDECREF(answer);
  return answer == nullptr;
}

// Called by the fitting thread without the GIL. False if the callback returns False;
// what it raises is thrown.
template <class... Args>
bool wants_more(const nanobind::object& callback, const Args&... args) {
  const GilHold gil;
  const nanobind::tuple given = nanobind::make_tuple(args...);
  PyObject* answer =
      call_python([&] { return PyObject_Call(callback.ptr(), given.ptr(), nullptr); });
  if (answer == nullptr) throw nanobind::python_error();
  return !nanobind::steal(answer).is(nanobind::bool_(false));
}

// Called by the fitting thread without the GIL: bytes to a callable, bytes back; what
// it raises is thrown.
inline std::string bytes_from(const nanobind::object& callable,
                              const std::string& bytes) {
  const GilHold gil;
  const nanobind::tuple given =
      nanobind::make_tuple(nanobind::bytes(bytes.data(), bytes.size()));
  PyObject* answer =
      call_python([&] { return PyObject_Call(callable.ptr(), given.ptr(), nullptr); });
  if (answer == nullptr) throw nanobind::python_error();
  const nanobind::object kept = nanobind::steal(answer);
  if (!PyBytes_Check(answer)) throw nanobind::type_error("an answer must be bytes");
  return {PyBytes_AS_STRING(answer),
          static_cast<std::size_t>(PyBytes_GET_SIZE(answer))};
}

// The core knows no Python: other threads may run while it works. The arrays are kept
// alive by the arguments of the binding's call.
template <class Work>
auto without_gil(Work&& work) {
  try {
    const GilRelease unlocked;
    return work();
  } catch (const Interrupted&) {
    throw nanobind::python_error();  // PyErr_CheckSignals has set it
  }
}

}  // namespace dpdtree::python
