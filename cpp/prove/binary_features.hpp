// Training rows that differ in few thresholds only, as answers to yes/no questions: one
// question per cut of an ordering, one bit per row and question.
#pragma once

#include <span>
#include <vector>

#include "prove/ranked_rows.hpp"

namespace dpdtree {

struct Question {
  u32 ordering = 0;
  u32 rank = 0;  // yes: ranks up to this one
};

class BinaryFeatures {
 public:
  // Those of all cuts between the rows, of several that divide them alike the first.
  // Gives up, and has none, once there are more than `most`.
  BinaryFeatures(const ExactData& data, std::size_t most);

  std::size_t size() const { return questions_.size(); }
  const Question& operator[](std::size_t i) const { return questions_[i]; }

  bool yes(u32 row, std::size_t question) const {
    return (answers_[row * n_words_ + question / 64] >> (question % 64) & 1) != 0;
  }

  // Adds to out[q] where the row says yes to q.
  void add_where_yes(u32 row, double value, std::vector<double>& out) const;

  // The answers of these rows, question after question within each word of 64 rows:
  // word w of question q is out[w * stride() + q].
  std::size_t stride() const { return 64 * n_words_; }
  static std::size_t words_of(std::size_t n_rows) { return (n_rows + 63) / 64; }
  void columns(std::span<const u32> rows, u64* out) const;

 private:
  void ask(const ExactData& data, std::size_t most);
  void answer(const ExactData& data);

  std::vector<Question> questions_;
  std::size_t n_words_ = 0;   // per row
  std::vector<u64> answers_;  // row by row
};

}  // namespace dpdtree
