#include "boost/round_batcher.hpp"

#include <atomic>

#include "base/bytes.hpp"
#include "base/thread_pool.hpp"
#include "hist/node_evaluator.hpp"

namespace dpdtree::boosting {
namespace {

// Neither the number of an iteration nor that of a question.
constexpr u64 kBundle = ~u64{0};

}  // namespace

std::string bundled(const std::vector<std::string>& parts) {
  ByteWriter out;
  out.number(kBundle);
  out.number(parts.size());
  for (const std::string& part : parts) {
    out.number(part.size());
    out.bytes += part;
  }
  return std::move(out.bytes);
}

bool is_bundle(std::string_view bytes) {
  return bytes.size() >= sizeof(u64) && ByteReader(bytes, "bundle").number() == kBundle;
}

std::vector<std::string_view> unbundled(std::string_view bundle) {
  ByteReader in(bundle, "bundle");
  in.number();
  std::vector<std::string_view> parts(in.count());
  std::size_t at = 2 * sizeof(u64);
  for (std::string_view& part : parts) {
    const u64 size = ByteReader(bundle.substr(at), "bundle").count();
    at += sizeof(u64);
    if (size > bundle.size() - at) throw FormatError("bundle data is cut short");
    part = bundle.substr(at, size);
    at += size;
  }
  return parts;
}

std::string RoundBatcher::ask(const std::string& request) {
  std::unique_lock lock(mutex_);
  if (n_running_ == 0) {
    lock.unlock();
    return ask_(request);
  }
  Waiting own{&request, {}, false};
  waiting_.push_back(&own);
  changed_.notify_all();
  changed_.wait(lock, [&] { return own.answered || error_ != nullptr; });
  if (!own.answered) throw Stopped{};
  return std::move(own.answer);
}

void RoundBatcher::run(std::size_t n, const std::function<void(std::size_t)>& task) {
  const std::thread::id owner = std::this_thread::get_id();
  std::atomic<std::size_t> next{0};
  n_running_ = n;
  error_ = nullptr;
  // One task more than trees: this thread takes it, for the others end by its answers.
  ThreadPool pool(static_cast<unsigned>(n) + 1);
  try {
    pool.parallel_for(n + 1, [&](std::size_t, unsigned) {
      if (std::this_thread::get_id() == owner) return serve();
      std::exception_ptr error;
      try {
        task(next++);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      --n_running_;
      changed_.notify_all();
      if (error != nullptr) std::rethrow_exception(error);
    });
  } catch (...) {
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
    throw;
  }
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void RoundBatcher::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return waiting_.size() == n_running_; });
    if (n_running_ == 0) return;
    const std::vector<Waiting*> waiting = std::exchange(waiting_, {});
    lock.unlock();
    std::exception_ptr error;
    try {
      send(waiting);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    for (Waiting* one : waiting) one->answered = error == nullptr;
    error_ = error;
    changed_.notify_all();
    if (error == nullptr) continue;
    changed_.wait(lock, [&] { return n_running_ == 0; });
    return;
  }
}

void RoundBatcher::send(const std::vector<Waiting*>& waiting) {
  if (waiting.size() == 1) {
    waiting[0]->answer = ask_(*waiting[0]->request);
    return;
  }
  std::vector<std::string> requests;
  for (const Waiting* one : waiting) requests.push_back(*one->request);
  const std::string answer = ask_(bundled(requests));
  const std::vector<std::string_view> parts = unbundled(answer);
  if (parts.size() != waiting.size()) throw FormatError("an answer is missing");
  for (std::size_t i = 0; i < parts.size(); ++i)
    waiting[i]->answer = std::string(parts[i]);
}

}  // namespace dpdtree::boosting
