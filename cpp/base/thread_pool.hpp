// All threading of the core. A pool lives as long as one fit or one prediction;
// OpenMP is not used because libgomp hangs in forked children (joblib users fork).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dpdtree {

class ThreadPool {
 public:
  using Task = std::function<void(std::size_t task, unsigned worker)>;

  // `idle` is called by the thread that waits, every 20 ms (to notice Ctrl-C).
  explicit ThreadPool(unsigned n_threads, std::function<void()> idle = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return n_threads_; }

  // True if some thread would take a task at once; a hint, out of date at any time.
  bool has_idle() const { return n_idle_.load(std::memory_order_relaxed) > 0; }

  // True if one would as soon as it is done with its own task, if not at once.
  bool has_help() const {
    return n_threads_ > 1 && !shutdown_.load(std::memory_order_relaxed) &&
           (has_idle() || n_open_.load(std::memory_order_relaxed) == 0);
  }

  // There is no more work: threads leave while the caller puts things away.
  void dismiss();

  // Runs task(0) … task(n-1), started in this order; the calling thread works on them
  // as well. The first exception of a task is rethrown here, after all have ended.
  // A task may call it again: threads without work then take the inner tasks. What a
  // worker keeps for itself is safe to use inside a task until the task calls
  // parallel_for.
  void parallel_for(std::size_t n_tasks, const Task& task);

 private:
  struct Job {
    const Task* task;
    std::size_t n_tasks;
    std::size_t next = 0;
    std::atomic<std::size_t> running{0};
    std::exception_ptr error = nullptr;
  };

  void spawn();
  void work(unsigned worker);
  void run_one(std::unique_lock<std::mutex>& lock, Job& job);
  void wait_for(std::unique_lock<std::mutex>& lock, Job& job);
  void close(Job& job);

  unsigned n_threads_;
  std::function<void()> idle_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job*>
      open_;  // jobs with tasks that nobody has taken yet, outermost first
  std::atomic<std::size_t> n_open_{0};
  unsigned n_waiting_ = 0;  // threads asleep until a job is done
  std::atomic<unsigned> n_idle_;
  std::atomic<bool> shutdown_{false};
};

// Into how many pieces to cut n rows: one if they are few or no thread will help. For
// work whose result does not depend on the pieces.
std::size_t n_pieces(const ThreadPool* pool, std::size_t n);

// The same for sums that round: the pieces depend on n alone.
std::size_t n_fixed_pieces(std::size_t n);

// Calls f(begin, end, piece) for each of the pieces of 0 … n-1; pool may be null.
template <class F>
void for_pieces(ThreadPool* pool, std::size_t n, std::size_t pieces, const F& f) {
  const auto run = [&](std::size_t i, unsigned) {
    f(n * i / pieces, n * (i + 1) / pieces, i);
  };
  if (pieces > 1 && pool != nullptr) return pool->parallel_for(pieces, run);
  for (std::size_t i = 0; i < pieces; ++i) run(i, 0);
}

}  // namespace dpdtree
