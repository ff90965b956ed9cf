// Sixteen 16-bit lanes and thirty-two bytes, written once for every instruction set. A
// file that includes this defines DPDTREE_LANES, a namespace of its own, so that code
// compiled for one instruction set is never linked in place of another's.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dpdtree {
inline namespace DPDTREE_LANES {

#if defined(__AVX2__) && !defined(DPDTREE_PORTABLE_LANES)

struct Lanes {
  __m256i v;
  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes load(const std::int16_t* p) {
    return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))};
  }
  void store(std::int16_t* p) const {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), v);
  }
  Lanes operator+(Lanes o) const { return {_mm256_add_epi16(v, o.v)}; }
  Lanes operator-(Lanes o) const { return {_mm256_sub_epi16(v, o.v)}; }
  static Lanes max(Lanes a, Lanes b) { return {_mm256_max_epi16(a.v, b.v)}; }
  static Lanes min(Lanes a, Lanes b) { return {_mm256_min_epi16(a.v, b.v)}; }
  static Lanes all(std::int16_t x) { return {_mm256_set1_epi16(x)}; }
  Lanes last_everywhere() const {
    const __m256i top = _mm256_permute4x64_epi64(v, 0xff);
    return {_mm256_shuffle_epi32(_mm256_shufflehi_epi16(top, 0xff), 0xff)};
  }
  Lanes prefix_sums() const {
    __m256i s = _mm256_add_epi16(v, _mm256_slli_si256(v, 2));
    s = _mm256_add_epi16(s, _mm256_slli_si256(s, 4));
    s = _mm256_add_epi16(s, _mm256_slli_si256(s, 8));
    // Both halves are done; the upper one still lacks the sum of the lower one.
    const __m256i low = _mm256_permute2x128_si256(s, s, 0x08);
    const __m256i last = _mm256_shufflehi_epi16(low, 0xff);
    return {_mm256_add_epi16(s, _mm256_shuffle_epi32(last, 0xff))};
  }
  friend bool any_equal(Lanes x, Lanes y) {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(x.v, y.v)) != 0;
  }
};

// Thirty-two unsigned bytes; sums wrap, differences end at 0.
struct ByteLanes {
  __m256i v;
  static ByteLanes load(const std::uint8_t* p) {
    return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))};
  }
  void store(std::uint8_t* p) const {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), v);
  }
  ByteLanes operator+(ByteLanes o) const { return {_mm256_add_epi8(v, o.v)}; }
  ByteLanes operator-(ByteLanes o) const { return {_mm256_subs_epu8(v, o.v)}; }
  ByteLanes operator&(ByteLanes o) const { return {_mm256_and_si256(v, o.v)}; }
  ByteLanes inverse_within(ByteLanes m) const { return {_mm256_andnot_si256(v, m.v)}; }
  static ByteLanes max(ByteLanes a, ByteLanes b) { return {_mm256_max_epu8(a.v, b.v)}; }
  // Of thirty-two numbers; below 0 becomes 0, above 255 becomes 255.
  static ByteLanes narrow(Lanes a, Lanes b) {
    return {_mm256_permute4x64_epi64(_mm256_packus_epi16(a.v, b.v), 0xd8)};
  }
  Lanes first_half() const { return {_mm256_cvtepu8_epi16(_mm256_castsi256_si128(v))}; }
  Lanes second_half() const {
    return {_mm256_cvtepu8_epi16(_mm256_extracti128_si256(v, 1))};
  }
  static ByteLanes all(std::uint8_t x) {
    return {_mm256_set1_epi8(static_cast<char>(x))};
  }
  friend bool any_equal(ByteLanes x, ByteLanes y) {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(x.v, y.v)) != 0;
  }
};

#elif defined(__SSE2__) && !defined(DPDTREE_PORTABLE_LANES)

struct Lanes {
  __m128i a, b;
  static Lanes zero() { return {_mm_setzero_si128(), _mm_setzero_si128()}; }
  static Lanes load(const std::int16_t* p) {
    const auto* q = reinterpret_cast<const __m128i*>(p);
    return {_mm_load_si128(q), _mm_load_si128(q + 1)};
  }
  void store(std::int16_t* p) const {
    auto* q = reinterpret_cast<__m128i*>(p);
    _mm_store_si128(q, a);
    _mm_store_si128(q + 1, b);
  }
  Lanes operator+(Lanes o) const {
    return {_mm_add_epi16(a, o.a), _mm_add_epi16(b, o.b)};
  }
  Lanes operator-(Lanes o) const {
    return {_mm_sub_epi16(a, o.a), _mm_sub_epi16(b, o.b)};
  }
  static Lanes max(Lanes x, Lanes y) {
    return {_mm_max_epi16(x.a, y.a), _mm_max_epi16(x.b, y.b)};
  }
  static Lanes min(Lanes x, Lanes y) {
    return {_mm_min_epi16(x.a, y.a), _mm_min_epi16(x.b, y.b)};
  }
  static Lanes all(std::int16_t x) { return {_mm_set1_epi16(x), _mm_set1_epi16(x)}; }
  static __m128i last_of(__m128i x) {
    return _mm_shuffle_epi32(_mm_shufflehi_epi16(x, 0xff), 0xff);
  }
  Lanes last_everywhere() const { return {last_of(b), last_of(b)}; }
  static __m128i half_sums(__m128i x) {
    x = _mm_add_epi16(x, _mm_slli_si128(x, 2));
    x = _mm_add_epi16(x, _mm_slli_si128(x, 4));
    return _mm_add_epi16(x, _mm_slli_si128(x, 8));
  }
  Lanes prefix_sums() const {
    const __m128i low = half_sums(a);
    return {low, _mm_add_epi16(half_sums(b), last_of(low))};
  }
  friend bool any_equal(Lanes x, Lanes y) {
    return _mm_movemask_epi8(
               _mm_or_si128(_mm_cmpeq_epi16(x.a, y.a), _mm_cmpeq_epi16(x.b, y.b))) != 0;
  }
};

struct ByteLanes {
  __m128i a, b;
  static ByteLanes load(const std::uint8_t* p) {
    const auto* q = reinterpret_cast<const __m128i*>(p);
    return {_mm_load_si128(q), _mm_load_si128(q + 1)};
  }
  void store(std::uint8_t* p) const {
    auto* q = reinterpret_cast<__m128i*>(p);
    _mm_store_si128(q, a);
    _mm_store_si128(q + 1, b);
  }
  ByteLanes operator+(ByteLanes o) const {
    return {_mm_add_epi8(a, o.a), _mm_add_epi8(b, o.b)};
  }
  ByteLanes operator-(ByteLanes o) const {
    return {_mm_subs_epu8(a, o.a), _mm_subs_epu8(b, o.b)};
  }
  ByteLanes operator&(ByteLanes o) const {
    return {_mm_and_si128(a, o.a), _mm_and_si128(b, o.b)};
  }
  ByteLanes inverse_within(ByteLanes m) const {
    return {_mm_andnot_si128(a, m.a), _mm_andnot_si128(b, m.b)};
  }
  static ByteLanes max(ByteLanes x, ByteLanes y) {
    return {_mm_max_epu8(x.a, y.a), _mm_max_epu8(x.b, y.b)};
  }
  static ByteLanes narrow(Lanes x, Lanes y) {
    return {_mm_packus_epi16(x.a, x.b), _mm_packus_epi16(y.a, y.b)};
  }
  static Lanes widen(__m128i x) {
    const __m128i zero = _mm_setzero_si128();
    return {_mm_unpacklo_epi8(x, zero), _mm_unpackhi_epi8(x, zero)};
  }
  Lanes first_half() const { return widen(a); }
  Lanes second_half() const { return widen(b); }
  static ByteLanes all(std::uint8_t x) {
    const __m128i v = _mm_set1_epi8(static_cast<char>(x));
    return {v, v};
  }
  friend bool any_equal(ByteLanes x, ByteLanes y) {
    return _mm_movemask_epi8(
               _mm_or_si128(_mm_cmpeq_epi8(x.a, y.a), _mm_cmpeq_epi8(x.b, y.b))) != 0;
  }
};

#else

struct Lanes {
  std::int16_t v[16];
  static Lanes zero() { return {{0}}; }
  static Lanes load(const std::int16_t* p) {
    Lanes l;
    std::memcpy(l.v, p, sizeof l.v);
    return l;
  }
  void store(std::int16_t* p) const { std::memcpy(p, v, sizeof v); }
  template <class F>
  static Lanes each(const Lanes& x, const Lanes& y, F f) {
    Lanes out;
    for (int i = 0; i < 16; ++i)
      out.v[i] = static_cast<std::int16_t>(f(x.v[i], y.v[i]));
    return out;
  }
  Lanes operator+(const Lanes& o) const {
    return each(*this, o, [](int x, int y) { return x + y; });
  }
  Lanes operator-(const Lanes& o) const {
    return each(*this, o, [](int x, int y) { return x - y; });
  }
  static Lanes max(const Lanes& x, const Lanes& y) {
    return each(x, y, [](int p, int q) { return p > q ? p : q; });
  }
  static Lanes min(const Lanes& x, const Lanes& y) {
    return each(x, y, [](int p, int q) { return p < q ? p : q; });
  }
  static Lanes all(std::int16_t x) {
    Lanes out;
    for (std::int16_t& lane : out.v) lane = x;
    return out;
  }
  Lanes last_everywhere() const { return all(v[15]); }
  Lanes prefix_sums() const {
    Lanes out = *this;
    for (int i = 1; i < 16; ++i)
      out.v[i] = static_cast<std::int16_t>(out.v[i] + out.v[i - 1]);
    return out;
  }
  friend bool any_equal(const Lanes& x, const Lanes& y) {
    bool found = false;
    for (int i = 0; i < 16; ++i) found |= x.v[i] == y.v[i];
    return found;
  }
};

struct ByteLanes {
  std::uint8_t v[32];
  static ByteLanes load(const std::uint8_t* p) {
    ByteLanes l;
    std::memcpy(l.v, p, sizeof l.v);
    return l;
  }
  void store(std::uint8_t* p) const { std::memcpy(p, v, sizeof v); }
  template <class F>
  static ByteLanes each(const ByteLanes& x, const ByteLanes& y, F f) {
    ByteLanes out;
    for (int i = 0; i < 32; ++i)
      out.v[i] = static_cast<std::uint8_t>(f(x.v[i], y.v[i]));
    return out;
  }
  ByteLanes operator+(const ByteLanes& o) const {
    return each(*this, o, [](int x, int y) { return x + y; });
  }
  ByteLanes operator-(const ByteLanes& o) const {
    return each(*this, o, [](int x, int y) { return x > y ? x - y : 0; });
  }
  ByteLanes operator&(const ByteLanes& o) const {
    return each(*this, o, [](int x, int y) { return x & y; });
  }
  ByteLanes inverse_within(const ByteLanes& m) const {
    return each(*this, m, [](int x, int y) { return ~x & y; });
  }
  static ByteLanes max(const ByteLanes& x, const ByteLanes& y) {
    return each(x, y, [](int p, int q) { return p > q ? p : q; });
  }
  static ByteLanes narrow(const Lanes& x, const Lanes& y) {
    ByteLanes out;
    for (int i = 0; i < 32; ++i) {
      const int wide = i < 16 ? x.v[i] : y.v[i - 16];
      out.v[i] = static_cast<std::uint8_t>(wide < 0 ? 0 : wide > 255 ? 255 : wide);
    }
    return out;
  }
  Lanes half(int first) const {
    Lanes out;
    for (int i = 0; i < 16; ++i) out.v[i] = v[first + i];
    return out;
  }
  Lanes first_half() const { return half(0); }
  Lanes second_half() const { return half(16); }
  static ByteLanes all(std::uint8_t x) {
    ByteLanes out;
    for (std::uint8_t& lane : out.v) lane = x;
    return out;
  }
  friend bool any_equal(const ByteLanes& x, const ByteLanes& y) {
    bool found = false;
    for (int i = 0; i < 32; ++i) found |= x.v[i] == y.v[i];
    return found;
  }
};

#endif

inline Lanes absolute(Lanes x) { return Lanes::max(x, Lanes::zero() - x); }

inline std::int16_t largest_lane(Lanes x) {
  alignas(32) std::int16_t v[16];
  x.store(v);
  std::int16_t top = v[0];
  for (int i = 1; i < 16; ++i) top = v[i] > top ? v[i] : top;
  return top;
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
