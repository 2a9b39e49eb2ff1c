// One step of a crowd on a GPU: what native/src/crowd.cpp does lane by lane, a thread a character.
//
// Three kernels: `place` moves blending points and counts the characters of each triangle, `sort` puts characters of one
// triangle next to each other, `play` gives each pair of warps 32 of them. Each warp makes a part of the numbers that
// harmonics are multiplied by, mixes those of 16 characters on the tensor cores, holds and bends one leg of all 32, and
// walks along its part of the skeleton. Sizes and settings are written above this text, and BODY becomes the tables of the
// skeleton.
#define D __device__ __forceinline__
#define TAU 6.283185307179586f
#define PER_TAU 0.15915494309189535f
#define FULL (TAU - 1e-4f)
#define ALL 0xffffffffu
enum { FREE = 0, PLACED = 1, LEAVING = 2, COMING = 0, DOWN = 1, ROLLING = 2 };
enum { STANDING = 8, BEGUN = 12, GIVE = 16, PLANTED = 24 };

struct V { float x, y, z; };
struct Q { float w, x, y, z; };
struct M { float m[9]; };
// Of a walk along the skeleton: where its quaternion lies, what is done, its column, the joint; which one of the pieces that
// both warps write it belongs to, or -1; whether its own piece is complete then.
struct Visit { int quad, bits, column, joint, shared, last; };
struct Leg { V heel, toe, tip, hinge, across; float heel_height, toe_height, tip_height, tip_length, flat_length, ankle_share, length; };
// bits of a joint of a walk; the numbers of what is kept and read lie above them
enum { FROM_KEPT = 1, IS_GIVEN = 2, IS_KEPT = 4, IS_TOE = 8, IS_RIGHT = 16, IS_NOISY = 32, IS_SILENT = 64 };
BODY
D V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
D V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
D V operator*(float s, V a) { return {s * a.x, s * a.y, s * a.z}; }
D float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
D V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
D float len(V a) { return sqrtf(dot(a, a)); }
D V unit(V a) { return (1.f / fmaxf(len(a), 1e-12f)) * a; }
D V pick(bool c, V a, V b) { return {c ? a.x : b.x, c ? a.y : b.y, c ? a.z : b.z}; }
D V operator*(const M& A, V a) {
  return {A.m[0] * a.x + A.m[1] * a.y + A.m[2] * a.z, A.m[3] * a.x + A.m[4] * a.y + A.m[5] * a.z, A.m[6] * a.x + A.m[7] * a.y + A.m[8] * a.z};
}
D Q operator*(Q a, Q b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
D float twice_per(Q q) { return __fdividef(2.f, fmaf(q.w, q.w, fmaf(q.x, q.x, fmaf(q.y, q.y, q.z * q.z)))); }
D M matrix(Q q) {  // of a quaternion of any length
  const float s = twice_per(q), xs = q.x * s, ys = q.y * s, zs = q.z * s, xy = q.x * ys, xz = q.x * zs, yz = q.y * zs;
  return {{fmaf(-q.y, ys, fmaf(-q.z, zs, 1.f)), fmaf(-q.w, zs, xy), fmaf(q.w, ys, xz), fmaf(q.w, zs, xy),
           fmaf(-q.x, xs, fmaf(-q.z, zs, 1.f)), fmaf(-q.w, xs, yz), fmaf(-q.w, ys, xz), fmaf(q.w, xs, yz),
           fmaf(-q.x, xs, fmaf(-q.y, ys, 1.f))}};
}
D V turned(Q q, V p) {
  const V u{q.x, q.y, q.z}, t = cross(u, p);
  return p + twice_per(q) * (q.w * t + cross(u, t));
}
D Q between(V a, V b) {  // the smallest turn of one direction into another
  const V c = cross(a, b);
  return {fmaxf(sqrtf(dot(a, a) * dot(b, b)) + dot(a, b), 1e-12f), c.x, c.y, c.z};
}
D Q about(V k, float c, float s) { return {fmaxf(1.f + c, 1e-6f), s * k.x, s * k.y, s * k.z}; }
D float smooth(float x) { return x * x * (3.f - 2.f * x); }
D float eased(float x) { return smooth(__saturatef(x)); }
D float powr(float x, float y) { return x > 1e-30f ? exp2f(y * __log2f(x)) : 0.f; }
D float angle_of(float y, float x) {  // atan2 to 1e-6
  const float a = fabsf(x), b = fabsf(y), r = __fdividef(fminf(a, b), fmaxf(fmaxf(a, b), 1e-30f)), q = r * r;
  float out = r * fmaf(q, fmaf(q, fmaf(q, fmaf(q, fmaf(q, fmaf(q, fmaf(q, -0.00455979199f, 0.0237805186f), -0.0588297531f), 0.0986886546f), -0.140032902f), 0.199669618f), -0.333318127f), 0.999999882f);
  out = b > a ? 1.57079633f - out : out;
  out = x < 0.f ? 3.14159265f - out : out;
  return copysignf(out, y);
}
D void sincos_(float x, float& s, float& c) {
  const float k = rintf(x * PER_TAU);
  __sincosf(fmaf(k, 1.7484556e-7f, fmaf(k, -6.2831855f, x)), &s, &c);
}
D unsigned halves(float x, float y) { unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x)); return r; }
D void floats(unsigned p, float& a, float& b) {
  asm("{.reg .b16 l,h; mov.b32 {l,h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}" : "=f"(a), "=f"(b) : "r"(p));
}
D void split(float x, float y, unsigned& high, unsigned& low) {
  float a, b;
  high = halves(x, y);
  floats(high, a, b);
  low = halves(x - a, y - b);
}
D void mma(float* c, const uint4& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

