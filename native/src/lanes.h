// Vectors of W characters: arithmetic, square roots and the few functions that the core needs.
//
// GCC/Clang vector types; no C++ library, so that any cross compiler builds this for any target. Never compiled with
// -ffast-math: infinities and NaN have to stay what they are.
#pragma once
#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#ifndef W
#define W 4
#endif
#ifndef NB
#define NB 1
#endif
#define INL static inline __attribute__((always_inline))

typedef float vl __attribute__((vector_size(W * 4), aligned(4), may_alias));
typedef float v __attribute__((vector_size(W * 4)));
typedef int vi __attribute__((vector_size(W * 4)));
typedef unsigned vu __attribute__((vector_size(W * 4)));

INL v bc(float x) { return x - v{}; }
INL vi bi(int x) { return x - vi{}; }
INL v ld(const float* p) { return *(const vl*)p; }
INL void st(float* p, v x) { *(vl*)p = x; }
// b where they cannot be compared. The instructions for just this, since GCC makes two of a vector's ?: .
#if W == 16 && defined(__AVX512F__)
INL v vmin(v a, v b) { return (v)_mm512_min_ps((__m512)a, (__m512)b); }
INL v vmax(v a, v b) { return (v)_mm512_max_ps((__m512)a, (__m512)b); }
#elif W == 8 && defined(__AVX__)
INL v vmin(v a, v b) { return (v)_mm256_min_ps((__m256)a, (__m256)b); }
INL v vmax(v a, v b) { return (v)_mm256_max_ps((__m256)a, (__m256)b); }
#elif W == 4 && defined(__SSE2__)
INL v vmin(v a, v b) { return (v)_mm_min_ps((__m128)a, (__m128)b); }
INL v vmax(v a, v b) { return (v)_mm_max_ps((__m128)a, (__m128)b); }
#elif W == 4 && defined(__wasm_simd128__)
INL v vmin(v a, v b) { return (v)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
INL v vmax(v a, v b) { return (v)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
#else
INL v vmin(v a, v b) { return a < b ? a : b; }
INL v vmax(v a, v b) { return a > b ? a : b; }
#endif
INL v vabs(v a) { return (v)((vi)a & 0x7fffffff); }
INL v vsqrt(v a) {
#if W == 16 && defined(__AVX512F__)
  return (v)_mm512_sqrt_ps((__m512)a);
#elif W == 8 && defined(__AVX__)
  return (v)_mm256_sqrt_ps((__m256)a);
#elif W == 4 && defined(__SSE2__)
  return (v)_mm_sqrt_ps((__m128)a);
#elif defined(__wasm_simd128__)
  return (v)wasm_f32x4_sqrt((v128_t)a);
#else
  for (int l = 0; l < W; ++l) a[l] = __builtin_sqrtf(a[l]);
  return a;
#endif
}
INL bool any(vi c) {  // whether a comparison holds in one of the lanes
#if W == 16 && defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)c, (__m512i)c) != 0;
#elif W == 8 && defined(__AVX__)
  return _mm256_movemask_ps((__m256)c) != 0;
#elif W == 4 && defined(__SSE2__)
  return _mm_movemask_ps((__m128)c) != 0;
#elif defined(__wasm_simd128__)
  return wasm_v128_any_true((v128_t)c);
#else
  int found = 0;
  for (int l = 0; l < W; ++l) found |= c[l];
  return found != 0;
#endif
}
INL v vfloor(v x) {  // |x| < 2^31
#if defined(__wasm_simd128__)
  return (v)wasm_f32x4_floor((v128_t)x);
#else
  const v t = __builtin_convertvector(__builtin_convertvector(x, vi), v);
  return t > x ? t - bc(1.f) : t;
#endif
}
// To the nearest, even ones at a half; |x| < 2^22. Beside this number the last bits of a float are whole ones, so that
// whole numbers can be read from them: quicker than an instruction that must also do for numbers out of range.
constexpr float WHOLE = 12582912.f;
INL v vround(v x) { return (x + bc(WHOLE)) - bc(WHOLE); }
INL vi vround_int(v x) { return (vi)(x + bc(WHOLE)) - (vi)bc(WHOLE); }
INL v clip01(v x) { return vmin(vmax(x, v{}), bc(1.f)); }
INL v smooth(v x) { return x * x * (bc(3.f) - bc(2.f) * x); }
INL v smooth_clipped(v x) { return smooth(clip01(x)); }
INL void sincosv(v x, v& s, v& c) {
  const v quarters = x * bc(0.63661977236f) + bc(WHOLE), qf = quarters - bc(WHOLE);
  const vi q = (vi)quarters;
  v r = x - qf * bc(1.5707963109016418f);
  r = r - qf * bc(1.5893254712295857e-8f);
  const v z = r * r;
  const v sp = r + r * z * (bc(-1.6666654611e-1f) + z * (bc(8.3321608736e-3f) + z * bc(-1.9515295891e-4f)));
  const v cp = bc(1.f) - bc(.5f) * z + z * z * (bc(4.166664568298827e-2f) + z * (bc(-1.388731625493765e-3f) + z * bc(2.443315711809948e-5f)));
  const vi swap = (q & 1) == 1;
  const v ss = swap ? cp : sp, cc = swap ? sp : cp;
  s = (v)((vi)ss ^ ((q & 2) << 30));
  c = (v)((vi)cc ^ (((q + 1) & 2) << 30));
}
INL v vatan2(v y, v x) {
  const v ax = vabs(x), ay = vabs(y);
  const v low = vmin(ax, ay), high = vmax(vmax(ax, ay), bc(1e-37f));
  const vi far = low > bc(.41421356f) * high;  // the tangent of an eighth of a half turn
  const v a = (far ? low - high : low) / (far ? low + high : high);
  const v z = a * a;
  const v outer = bc(8.05374449538e-2f) * z - bc(1.38776856032e-1f), inner = bc(1.99777106478e-1f) * z - bc(3.33329491539e-1f);
  v r = (inner + z * z * outer) * (z * a) + a;
  r = far ? r + bc(.78539816f) : r;
  r = ay > ax ? bc(1.57079633f) - r : r;
  r = x < v{} ? bc(3.14159265f) - r : r;
  return (v)((vi)r | ((vi)y & (int)0x80000000));
}
INL v vacos(v x) { return vatan2(vsqrt(vmax((bc(1.f) - x) * (bc(1.f) + x), v{})), x); }
INL v vlog(v x) {  // x > 0, normal
  vi e = (((vi)x >> 23) & 255) - 126;
  v m = (v)(((vi)x & 0x007fffff) | 0x3f000000);
  const vi small = m < bc(.70710678f);
  e = small ? e - 1 : e;
  m = (small ? m + m : m) - bc(1.f);
  const v z = m * m;
  const v low = bc(3.3333331174e-1f) - bc(2.4999993993e-1f) * m + z * (bc(2.0000714765e-1f) - bc(1.6668057665e-1f) * m);
  const v high = bc(1.4249322787e-1f) - bc(1.2420140846e-1f) * m + z * (bc(1.1676998740e-1f) - bc(1.1514610310e-1f) * m);
  const v z2 = z * z;
  v y = (low + z2 * (high + z2 * bc(7.0376836292e-2f))) * (m * z);
  const v ef = __builtin_convertvector(e, v);
  y = y - bc(2.12194440e-4f) * ef - bc(.5f) * z;
  return m + y + bc(.693359375f) * ef;
}
INL v vexp(v x) {
  x = vmax(vmin(x, bc(88.f)), bc(-87.f));
  const v whole = x * bc(1.44269504f) + bc(WHOLE), n = whole - bc(WHOLE);
  x = x - n * bc(.693359375f) + n * bc(2.12194440e-4f);
  const v z = x * x, low = bc(5.0000001201e-1f) + bc(1.6666665459e-1f) * x, high = bc(4.1665795894e-2f) + bc(8.3334519073e-3f) * x;
  const v y = z * (low + z * (high + z * (bc(1.3981999507e-3f) + bc(1.9875691500e-4f) * x))) + (x + bc(1.f));
  return y * (v)(((vi)whole + 127) << 23);
}
INL v vpow(v x, v y) { return x > bc(1e-30f) ? vexp(y * vlog(vmax(x, bc(1e-30f)))) : v{}; }
INL vu hashed(vu x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

struct V3 { v x, y, z; };
struct M3 { v m[9]; };
INL V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
INL V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
INL V3 operator*(v s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
INL V3 pick(vi c, V3 a, V3 b) { return {c ? a.x : b.x, c ? a.y : b.y, c ? a.z : b.z}; }
INL V3 vec(const float* p) { return {bc(p[0]), bc(p[1]), bc(p[2])}; }
INL v dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INL V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
INL v length(V3 a) { return vsqrt(dot(a, a)); }
INL V3 unit(V3 a) { return (bc(1.f) / vmax(length(a), bc(1e-12f))) * a; }
INL V3 operator*(const M3& M, V3 a) {
  return {M.m[0] * a.x + M.m[1] * a.y + M.m[2] * a.z, M.m[3] * a.x + M.m[4] * a.y + M.m[5] * a.z, M.m[6] * a.x + M.m[7] * a.y + M.m[8] * a.z};
}
INL M3 operator*(const M3& A, const M3& B) {
  M3 o;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) o.m[3 * i + k] = A.m[3 * i] * B.m[k] + A.m[3 * i + 1] * B.m[3 + k] + A.m[3 * i + 2] * B.m[6 + k];
  return o;
}
// A joint's rotation and place of its parent's and its own: row by row, so that few registers are needed at a time.
INL void hang(const M3& above, const V3& from, const M3& own, const float* offset, M3& turn, V3& at) {
  const v *a = above.m, *t = &from.x;
  v *o = turn.m, *p = &at.x;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i, a += 3, o += 3) {
    const v x = a[0], y = a[1], z = a[2];
    p[i] = t[i] + (x * bc(offset[0]) + y * bc(offset[1]) + z * bc(offset[2]));
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) o[k] = x * own.m[k] + y * own.m[3 + k] + z * own.m[6 + k];
  }
}
INL M3 matrix(v w, v x, v y, v z) {  // of a quaternion of any length
  const v s = bc(2.f) / (w * w + x * x + y * y + z * z);
  const v xs = x * s, ys = y * s, zs = z * s;
  const v wx = w * xs, wy = w * ys, wz = w * zs, xx = x * xs, xy = x * ys, xz = x * zs, yy = y * ys, yz = y * zs, zz = z * zs;
  const v one = bc(1.f);
  return {{one - (yy + zz), xy - wz, xz + wy, xy + wz, one - (xx + zz), yz - wx, xz - wy, yz + wx, one - (xx + yy)}};
}
INL M3 between(V3 a, V3 b) {  // the smallest turn of one direction into another
  const V3 c = cross(a, b);
  const v w = vsqrt(dot(a, a) * dot(b, b)) + dot(a, b);
  return matrix(vmax(w, bc(1e-12f)), c.x, c.y, c.z);
}
INL M3 about(V3 k, v c, v s) {
  const v t = bc(1.f) - c;
  const v tx = t * k.x, ty = t * k.y, tz = t * k.z, sx = s * k.x, sy = s * k.y, sz = s * k.z;
  return {{tx * k.x + c, tx * k.y - sz, tx * k.z + sy, tx * k.y + sz, ty * k.y + c, ty * k.z - sx, tx * k.z - sy, ty * k.z + sx, tz * k.z + c}};
}

// ---------------------------------------------------------------- between lanes and rows of four floats
typedef float v4 __attribute__((vector_size(16)));
typedef float v4l __attribute__((vector_size(16), aligned(4), may_alias));
#if W == 16
#define LO(x, y) __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HI(x, y) __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define L2(x, y) __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define H2(x, y) __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif W == 8
#define LO(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define HI(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define L2(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define H2(x, y) __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define LO(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define HI(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define L2(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define H2(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)
#endif
// Every fourth row from the first of `rows` on, four floats of each. Written out for the wide vectors: GCC takes the
// long way through memory for the same in terms of its vector types.
INL v load_fourths(const float* const* rows, int offset) {
#if W == 16 && defined(__AVX512F__)
  const __m512 one = _mm512_castps128_ps512(_mm_loadu_ps(rows[0] + offset));
  const __m512 two = _mm512_insertf32x4(one, _mm_loadu_ps(rows[4] + offset), 1), three = _mm512_insertf32x4(two, _mm_loadu_ps(rows[8] + offset), 2);
  return (v)_mm512_insertf32x4(three, _mm_loadu_ps(rows[12] + offset), 3);
#elif W == 8 && defined(__AVX__)
  return (v)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[0] + offset)), _mm_loadu_ps(rows[4] + offset), 1);
#else
  v out;
  for (int L = 0; L < W / 4; ++L) ((v4*)&out)[L] = *(const v4l*)(rows[4 * L] + offset);
  return out;
#endif
}
INL void store_fourths(v x, float* const* rows, int offset) {
#if W == 16 && defined(__AVX512F__)
  _mm_storeu_ps(rows[0] + offset, _mm512_castps512_ps128((__m512)x));
  _mm_storeu_ps(rows[4] + offset, _mm512_extractf32x4_ps((__m512)x, 1));
  _mm_storeu_ps(rows[8] + offset, _mm512_extractf32x4_ps((__m512)x, 2));
  _mm_storeu_ps(rows[12] + offset, _mm512_extractf32x4_ps((__m512)x, 3));
#elif W == 8 && defined(__AVX__)
  _mm_storeu_ps(rows[0] + offset, _mm256_castps256_ps128((__m256)x));
  _mm_storeu_ps(rows[4] + offset, _mm256_extractf128_ps((__m256)x, 1));
#else
  for (int L = 0; L < W / 4; ++L) *(v4l*)(rows[4 * L] + offset) = ((v4*)&x)[L];
#endif
}
// Four vectors of W lanes become four floats of each of W rows.
INL void store_row4(v a, v b, v c, v d, float* const* rows, int offset) {
  const v p = LO(a, b), q = HI(a, b), r = LO(c, d), s = HI(c, d);
  store_fourths(L2(p, r), rows, offset);
  store_fourths(H2(p, r), rows + 1, offset);
  store_fourths(L2(q, s), rows + 2, offset);
  store_fourths(H2(q, s), rows + 3, offset);
}
// Four floats of each of W rows become four vectors of W lanes.
INL void load_row4(const float* const* rows, int offset, v* out) {
  const v a = load_fourths(rows, offset), b = load_fourths(rows + 1, offset), c = load_fourths(rows + 2, offset), d = load_fourths(rows + 3, offset);
  const v p = LO(a, b), q = HI(a, b), r = LO(c, d), s = HI(c, d);
  out[0] = L2(p, r);
  out[1] = H2(p, r);
  out[2] = L2(q, s);
  out[3] = H2(q, s);
}
