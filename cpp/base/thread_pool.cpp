#include "base/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dpdtree {
namespace {

// Of the pool this thread works for; a thread that owns a pool is its worker 0.
thread_local unsigned this_worker = 0;
thread_local unsigned task_depth = 0;

// Looks at `done` for about as long as falling asleep and waking up would take.
template <class Done>
void spin_until(std::unique_lock<std::mutex>& lock, const Done& done) {
  constexpr auto kLimit = std::chrono::microseconds(100);
  if (done()) return;
  lock.unlock();
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (!done() && std::chrono::steady_clock::now() < end) {
  }
  lock.lock();
}

}  // namespace

ThreadPool::ThreadPool(unsigned n_threads, std::function<void()> idle)
    : n_threads_(n_threads == 0 ? 1 : n_threads),
      idle_(std::move(idle)),
      n_idle_(n_threads_ - 1) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    shutdown_.store(true);
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::spawn() {
  while (threads_.size() + 1 < n_threads_) {
    const auto worker = static_cast<unsigned>(threads_.size() + 1);
    threads_.emplace_back([this, worker] { work(worker); });
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
  lock.lock();
  --job.running;
  if (error) {
    if (!job.error) job.error = error;
    job.next = job.n_tasks;  // the others are not started
    close(job);
  }
  if (job.running == 0 && job.next == job.n_tasks) changed_.notify_all();
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
    if (changed_.wait_for(lock, std::chrono::milliseconds(20), wanted)) continue;
    if (!outermost || !idle_) continue;
    lock.unlock();
    idle_();
    lock.lock();
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
  std::unique_lock lock(mutex_);
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
  return std::min(n / kLeastRows, kPerThread * pool->size());
}

std::size_t n_fixed_pieces(std::size_t n) {
  constexpr std::size_t kRowsPerPiece = 65'536;
  return std::max<std::size_t>(1, n / kRowsPerPiece);
}

}  // namespace dpdtree
