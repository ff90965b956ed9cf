// Numbers and arrays to bytes and back, for stored models. Little-endian, as every
// platform with wheels is. Sealed bytes end with a checksum of those before it.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace dpdtree {

static_assert(std::endian::native == std::endian::little);

// FNV-1a: each byte enters by a step that can be undone, so that no change of a single
// byte goes unnoticed.
inline u64 checksum(std::string_view bytes) {
  u64 hash = 0xcbf29ce484222325u;
  for (const char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

class ByteWriter {
 public:
  void number(u64 v) { raw(&v, sizeof v); }
  template <class T>
  void array(const std::vector<T>& v) {
    raw(v.data(), v.size() * sizeof(T));
  }
  // With its length before it.
  template <class T>
  void sized(const std::vector<T>& v) {
    number(v.size());
    array(v);
  }
  void raw(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  }
  std::string sealed() && {
    number(checksum(bytes));
    return std::move(bytes);
  }
  std::string bytes;
};

// Throws FormatError, naming `what` was read, where the bytes end too soon.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const char* what)
      : all_(bytes), rest_(bytes), what_(what) {}

  // Takes the checksum off the end; throws if it is not that of the bytes before it.
  void unseal() {
    need(sizeof(u64));
    const std::size_t end = all_.size() - sizeof(u64);
    u64 stored = 0;
    std::memcpy(&stored, all_.data() + end, sizeof stored);
    if (stored != checksum(all_.substr(0, end)))
      throw FormatError(std::string(what_) + " data is damaged: its checksum differs");
    rest_.remove_suffix(sizeof(u64));
  }

  void raw(void* out, std::size_t size) {
    need(size);
    if (size > 0) std::memcpy(out, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  u64 number() {
    u64 v = 0;
    raw(&v, sizeof v);
    return v;
  }
  template <class T>
  void array(std::vector<T>& v, u64 size) {
    if (size > rest_.size() / sizeof(T)) fail();
    v.resize(size);
    raw(v.data(), size * sizeof(T));
  }
  template <class T>
  void sized(std::vector<T>& v) {
    array(v, number());
  }
  // A number of things that take at least a byte each: no larger than what is left.
  u64 count() { return check_count(number()); }
  u64 check_count(u64 n) const {
    if (n > rest_.size()) fail();
    return n;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  void need(std::size_t size) const {
    if (rest_.size() < size) fail();
  }
  [[noreturn]] void fail() const {
    throw FormatError(std::string(what_) + " data is cut short");
  }

  std::string_view all_;
  std::string_view rest_;
  const char* what_;
};

}  // namespace dpdtree
