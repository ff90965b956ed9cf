// Several trees at a time, each on a thread of its own: what they ask meanwhile leaves
// as one request, once all of them wait for an answer.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace dpdtree::boosting {

// A request in, the merged answer of all partitions out.
using Ask = std::function<std::string(const std::string&)>;

// Several requests, or answers, as one.
std::string bundled(const std::vector<std::string>& parts);
bool is_bundle(std::string_view bytes);
std::vector<std::string_view> unbundled(std::string_view bundle);

class RoundBatcher {
 public:
  explicit RoundBatcher(Ask ask) : ask_(std::move(ask)) {}

  std::string ask(const std::string& request);

  // Runs task(0) … task(n-1) at the same time. Requests leave on this thread; what they
  // throw ends all tasks and is thrown here.
  void run(std::size_t n, const std::function<void(std::size_t)>& task);

 private:
  struct Waiting {
    const std::string* request = nullptr;
    std::string answer;
    bool answered = false;
  };

  void serve();
  void send(const std::vector<Waiting*>& waiting);

  Ask ask_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting*> waiting_;
  std::size_t n_running_ = 0;  // tasks that have not ended
  std::exception_ptr error_;
};

}  // namespace dpdtree::boosting
