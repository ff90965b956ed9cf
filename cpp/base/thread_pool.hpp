// All threading of the core. A pool lives as long as one fit or one prediction;
// OpenMP is not used because libgomp hangs in forked children (joblib users fork).
#pragma once

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

  // Runs task(0) … task(n-1), started in this order; the calling thread is worker 0.
  // The first exception of a task is rethrown here, after all have ended. Not nested.
  void parallel_for(std::size_t n_tasks, const Task& task);

 private:
  void spawn();
  void work(unsigned worker);
  void run_tasks(std::unique_lock<std::mutex>& lock, unsigned worker);

  unsigned n_threads_;
  std::function<void()> idle_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const Task* task_ = nullptr;
  std::size_t next_ = 0;
  std::size_t n_tasks_ = 0;
  std::size_t running_ = 0;
  std::exception_ptr error_;
  bool shutdown_ = false;
};

}  // namespace dpdtree
