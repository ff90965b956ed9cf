// Solved states: (set of rows, depth) → its value. Bounded: once full, further
// states are not kept, which changes no result.
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>

#include "base/rng.hpp"
#include "plan/search_context.hpp"
#include "plan/value.hpp"

namespace dpdtree {

template <class StateValue>
class StateMemo {
 public:
  explicit StateMemo(std::size_t max_bytes) : shard_bytes_(max_bytes / kShards) {}

  static Hash128 key(const Hash128& rows, u32 depth) {
    return {rows.lo ^ mix64(depth), rows.hi};
  }

  bool lookup(const Hash128& key, StateValue& out) {
    Shard& shard = shards_[key.hi % kShards];
    std::lock_guard lock(shard.mutex);
    const auto it = shard.map.find(key);
    if (it == shard.map.end()) return false;
    out = it->second;
    return true;
  }

  void store(const Hash128& key, const StateValue& known, std::size_t bytes) {
    Shard& shard = shards_[key.hi % kShards];
    std::lock_guard lock(shard.mutex);
    if (shard.bytes + bytes > shard_bytes_) return;
    if (shard.map.emplace(key, known).second) shard.bytes += bytes;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::size_t bytes = 0;
    std::unordered_map<Hash128, StateValue, HashOfSet> map;
  };
  static constexpr std::size_t kShards = 16;
  std::size_t shard_bytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace dpdtree
