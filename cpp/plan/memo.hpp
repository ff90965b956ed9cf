// What is known of sets of rows, shared by all threads. Bounded: once full, what is new
// is not kept, which changes no result.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "data/rows.hpp"

namespace dpdtree {

template <class Entry>
class Memo {
 public:
  // The capacity is in the unit of the costs of entries.
  explicit Memo(std::size_t capacity) : shard_capacity_(capacity / kShards) {}

  // True if something `usable` is known under the key.
  template <class Usable>
  bool lookup(const Hash128& key, Entry& out, const Usable& usable) {
    Shard& shard = shards_[key.hi % kShards];
    std::lock_guard lock(shard.mutex);
    const auto it = shard.map.find(key);
    if (it == shard.map.end() || !usable(it->second)) return false;
    out = it->second;
    return true;
  }
  bool lookup(const Hash128& key, Entry& out) {
    return lookup(key, out, [](const Entry&) { return true; });
  }

  // Replaces what was known under the key.
  void store(const Hash128& key, const Entry& known, std::size_t cost) {
    Shard& shard = shards_[key.hi % kShards];
    std::lock_guard lock(shard.mutex);
    const auto it = shard.map.find(key);
    if (it != shard.map.end()) {
      it->second = known;
    } else if (shard.cost + cost <= shard_capacity_) {
      shard.map.emplace(key, known);
      shard.cost += cost;
    }
  }

 private:
  struct HashOfKey {
    std::size_t operator()(const Hash128& h) const { return h.lo; }
  };
  struct Shard {
    std::mutex mutex;
    std::size_t cost = 0;
    std::unordered_map<Hash128, Entry, HashOfKey> map;
  };
  static constexpr std::size_t kShards = 16;
  std::size_t shard_capacity_;
  std::array<Shard, kShards> shards_;
};

}  // namespace dpdtree
