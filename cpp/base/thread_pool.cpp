#include "base/thread_pool.hpp"

#include <chrono>
#include <utility>

namespace dpdtree {

ThreadPool::ThreadPool(unsigned n_threads, std::function<void()> idle)
    : n_threads_(n_threads == 0 ? 1 : n_threads), idle_(std::move(idle)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    shutdown_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::spawn() {
  while (threads_.size() + 1 < n_threads_) {
    const auto worker = static_cast<unsigned>(threads_.size() + 1);
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

void ThreadPool::run_tasks(std::unique_lock<std::mutex>& lock, unsigned worker) {
  while (next_ < n_tasks_) {
    const std::size_t task = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*task_)(task, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --running_;
    if (error) {
      if (!error_) error_ = error;
      next_ = n_tasks_;
    }
  }
  if (running_ == 0) done_.notify_all();
}

void ThreadPool::work(unsigned worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return shutdown_ || next_ < n_tasks_; });
    if (shutdown_) return;
    run_tasks(lock, worker);
  }
}

void ThreadPool::parallel_for(std::size_t n_tasks, const Task& task) {
  if (n_threads_ == 1 || n_tasks <= 1) {
    for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
    return;
  }
  spawn();
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  n_tasks_ = n_tasks;
  error_ = nullptr;
  wake_.notify_all();
  run_tasks(lock, 0);
  while (running_ > 0) {
    done_.wait_for(lock, std::chrono::milliseconds(20));
    if (running_ == 0 || !idle_) continue;
    lock.unlock();
    idle_();
    lock.lock();
  }
  n_tasks_ = next_ = 0;
  task_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

}  // namespace dpdtree
