#include "base/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace dpdtree {
namespace {

// Of the pool this thread works for; a thread that owns a pool is its worker 0.
thread_local unsigned this_worker = 0;
thread_local unsigned task_depth = 0;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// The mutex is held for moments only: trying again is faster than falling asleep.
void acquire(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause();
  }
  lock.lock();
}

// Looks at `done` for a while before falling asleep: waking up takes long, and between
// two steps of a fit there is little to do for one thread alone.
template <class Done>
void spin_until(std::unique_lock<std::mutex>& lock, const Done& done) {
  constexpr auto kLimit = std::chrono::microseconds(300);
  constexpr int kLooksPerTime = 32;
  if (done()) return;
  lock.unlock();
  const auto end = std::chrono::steady_clock::now() + kLimit;
  do {
    for (int i = 0; i < kLooksPerTime && !done(); ++i) pause();
  } while (!done() && std::chrono::steady_clock::now() < end);
  acquire(lock);
}

}  // namespace

ThreadPool::ThreadPool(unsigned n_threads, std::function<void()> idle)
    : n_threads_(n_threads == 0 ? 1 : n_threads),
      idle_(std::move(idle)),
      n_idle_(n_threads_ - 1) {}

void ThreadPool::dismiss() {
  {
    std::lock_guard lock(mutex_);
    shutdown_.store(true);
  }
  changed_.notify_all();
}

ThreadPool::~ThreadPool() {
  dismiss();
  for (auto& thread : threads_) thread.join();
}

// Where the system gives no more threads, those there are do the work: no result
// depends on their number.
void ThreadPool::spawn() {
  try {
    threads_.reserve(n_threads_ - 1);
    while (threads_.size() + 1 < n_threads_) {
      const auto worker = static_cast<unsigned>(threads_.size() + 1);
      threads_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error&) {
    const auto had = static_cast<unsigned>(threads_.size() + 1);
    n_idle_ -= n_threads_ - had;
    n_threads_ = had;
  }
}

void ThreadPool::close(Job& job) { n_open_ -= std::erase(open_, &job); }

// Takes the next task of the job, which has one.
void ThreadPool::run_one(std::unique_lock<std::mutex>& lock, Job& job) {
  const std::size_t task = job.next++;
  if (job.next == job.n_tasks) close(job);
  ++job.running;
  lock.unlock();
  std::exception_ptr error;
  ++task_depth;
  try {
    (*job.task)(task, this_worker);
  } catch (...) {
    error = std::current_exception();
  }
  --task_depth;
  acquire(lock);
  --job.running;
  if (error) {
    if (!job.error) job.error = error;
    job.next = job.n_tasks;  // the others are not started
    close(job);
  }
  // Threads without work sleep on the same condition: not to be woken for nothing.
  const bool done = job.running == 0 && job.next == job.n_tasks;
  if (done && n_waiting_ > 0) changed_.notify_all();
}

void ThreadPool::work(unsigned worker) {
  this_worker = worker;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto wanted = [this] { return shutdown_ || n_open_ > 0; };
    spin_until(lock, wanted);
    changed_.wait(lock, wanted);
    if (shutdown_) return;
    --n_idle_;
    while (!open_.empty()) run_one(lock, *open_.front());
    ++n_idle_;
  }
}

// The outermost caller helps with inner jobs meanwhile. Others must not: what they keep
// for themselves is in use.
void ThreadPool::wait_for(std::unique_lock<std::mutex>& lock, Job& job) {
  const bool outermost = task_depth == 0;
  if (outermost) ++n_idle_;
  while (job.running > 0) {
    if (outermost && !open_.empty()) {
      --n_idle_;
      run_one(lock, *open_.front());
      ++n_idle_;
      continue;
    }
    const auto wanted = [&] { return job.running == 0 || (outermost && n_open_ > 0); };
    spin_until(lock, wanted);
    ++n_waiting_;
    const bool found = changed_.wait_for(lock, std::chrono::milliseconds(20), wanted);
    --n_waiting_;
    if (found) continue;
    if (!outermost || !idle_) continue;
    lock.unlock();
    idle_();
    acquire(lock);
  }
  if (outermost) --n_idle_;
}

void ThreadPool::parallel_for(std::size_t n_tasks, const Task& task) {
  if (n_threads_ == 1 || n_tasks <= 1 || !has_help()) {
    for (std::size_t i = 0; i < n_tasks; ++i) task(i, this_worker);
    return;
  }
  if (task_depth == 0) spawn();
  Job job{&task, n_tasks};
  std::unique_lock lock(mutex_, std::defer_lock);
  acquire(lock);
  open_.push_back(&job);
  ++n_open_;
  changed_.notify_all();
  while (job.next < job.n_tasks) run_one(lock, job);
  wait_for(lock, job);
  if (job.error) std::rethrow_exception(job.error);
}

std::size_t n_pieces(const ThreadPool* pool, std::size_t n) {
  constexpr std::size_t kLeastRows = 8192;
  constexpr std::size_t kPerThread = 4;  // so that a thread that comes late finds work
  if (pool == nullptr || n < 2 * kLeastRows || !pool->has_help()) return 1;
  const std::size_t pieces = std::min(n / kLeastRows, kPerThread * pool->size());
  return pieces - (pieces > pool->size() ? pieces % pool->size() : 0);  // all alike
}

std::size_t n_fixed_pieces(std::size_t n) {
  constexpr std::size_t kRowsPerPiece = 65'536;
  return std::max<std::size_t>(1, n / kRowsPerPiece);
}

}  // namespace dpdtree
