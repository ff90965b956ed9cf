// What lanes of eight numbers share where there are no vector instructions.
#pragma once

#include <cstring>

namespace dpdtree {
inline namespace DPDTREE_LANES {

template <class Lanes8, class Number>
struct PlainLanes {
  Number v[8];
  static Lanes8 load(const Number* p) {
    Lanes8 l;
    std::memcpy(l.v, p, sizeof l.v);
    return l;
  }
  static Lanes8 all(Number x) {
    Lanes8 out;
    for (Number& lane : out.v) lane = x;
    return out;
  }
  void store(Number* p) const { std::memcpy(p, v, sizeof v); }
  template <class F>
  static Lanes8 each(const PlainLanes& x, const PlainLanes& y, F f) {
    Lanes8 out;
    for (int i = 0; i < 8; ++i) out.v[i] = f(x.v[i], y.v[i]);
    return out;
  }
  Lanes8 operator+(const Lanes8& o) const {
    return each(*this, o, [](Number x, Number y) { return x + y; });
  }
  Lanes8 operator-(const Lanes8& o) const {
    return each(*this, o, [](Number x, Number y) { return x - y; });
  }
  Lanes8 operator*(const Lanes8& o) const {
    return each(*this, o, [](Number x, Number y) { return x * y; });
  }
  static Lanes8 max(const Lanes8& x, const Lanes8& y) {
    return each(x, y, [](Number p, Number q) { return p < q ? q : p; });
  }

 private:
  PlainLanes() = default;
  friend Lanes8;
};

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
