// Blending points of a crowd on their way to their goals, W characters at a time, and the triangles that they are in.
#pragma once
#include "crowd_words.h"

namespace {
// What is kept between moving points and playing characters, a number each: how far the point went, its triangle now.
struct Scratch {
  float *dx, *dy;
  int* triangle;
  Scratch(float* at, int n) : dx(at), dy(at + n), triangle((int*)(at + 2l * n)) {}
};

struct Moves { const Tables* N; const Step* S; float* records; const float* goals; Scratch to; const int* rows; int n_rows; };

// The triangle that holds a point, from one nearby on; the last one tried where eight do not lead there.
INL int walk(const Tables& N, int t, float x, float y) {
  for (int steps = 0; steps < 8; ++steps) {
    const float* m = N.map + 9 * t;
    const int* n = N.neighbour + 3 * t;
    int corner = 0;
    float least = 0.f;
    for (int k = 0; k < 3; ++k) {
      const float w = m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y;
      if (n[k] >= 0 && w < least) { least = w; corner = k; }
    }
    if (!(least < -1e-6f)) break;
    t = n[corner];
  }
  return t;
}
// The nearest point of a triangle's edges, roughly: negative weights are left out. No number becomes the first corner.
INL void put_inside(const Tables& N, int t, float& x, float& y) {
  const float* m = N.map + 9 * t;
  float w[3], sum = 0.f;
  for (int k = 0; k < 3; ++k) {
    w[k] = fmax_(m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y, 0.f);
    sum += w[k];
  }
  const bool lost = !(sum > 1e-6f && sum < 1e6f);
  x = y = 0.f;
  for (int k = 0; k < 3; ++k) {
    const float* p = N.point + 2 * N.triangle[3 * t + k];
    const float share = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
    x += share * p[0];
    y += share * p[1];
  }
}
// W characters' points, from number `first` of the rows on; the first one again where there are fewer.
INL void move_points(const Moves& M, int first, int n) {
  const Tables& N = *M.N;
  const Step& S = *M.S;
  float* records[W];
  const float* maps[W];
  int triangle[W];
  alignas(64) float goal[2][W], second[3][W];
  for (int l = 0; l < W; ++l) {
    const int row = M.rows[first + (l < n ? l : 0)];
    records[l] = M.records + (long)row * WORDS;
    for (int k = 0; k < 2; ++k) goal[k][l] = M.goals[2l * row + k];
    const int t = as_int(records[l][TRIANGLE]);
    triangle[l] = t < 0 || t >= N.triangles ? 0 : t;
    maps[l] = N.map + 9 * triangle[l];
    for (int k = 0; k < 3; ++k) second[k][l] = N.seconds[3 * triangle[l] + k];
  }
  v own[4], marks[4], m[12];
  load_row4(records, POINT, own);
  load_row4(records, MARKS, marks);
  load_row4(maps, 0, m);
  load_row4(maps, 4, m + 4);
  load_row4(maps, 5, m + 8);  // from the sixth number on, of which only the ninth is new
  m[8] = m[11];
  const v one = bc(1.f), zero = v{}, tiny = bc(1e-12f), dt = bc(S.dt), furthest = bc(S.furthest);
  const v px = own[0], py = own[1], gx = ld(goal[0]), gy = ld(goal[1]);
  v wx = gx, wy = gy, vx = zero, vy = zero;
  if (S.stiffness != 0.f) {
    const v k = bc(S.stiffness), decay = bc(S.decay), ox = px - gx, oy = py - gy, qx = own[2] + k * ox, qy = own[3] + k * oy;
    wx = gx + (ox + qx * dt) * decay;
    wy = gy + (oy + qy * dt) * decay;
    vx = (own[2] - k * qx * dt) * decay;
    vy = (own[3] - k * qy * dt) * decay;
  }
  const v share = furthest / vmax(hypv(wx - px, wy - py), tiny);
  wx = share < one ? px + share * (wx - px) : wx;
  wy = share < one ? py + share * (wy - py) : wy;
  const v slow = vmin(one, furthest / vmax(hypv(vx, vy) * dt, tiny));
  vx *= slow;
  vy *= slow;
  const vi near = (hypv(wx - gx, wy - gy) < bc(1e-6f)) & (hypv(vx, vy) < bc(1e-3f));
  wx = near ? gx : wx;
  wy = near ? gy : wy;
  vx = near ? zero : vx;
  vy = near ? zero : vy;
  const v give = __builtin_convertvector(((vi)marks[0] >> GIVE) & 255, v) * bc(1.f / 255.f);
  const v ax = give * (wx - px), ay = give * (wy - py);
  v c[3];  // how much corners' weights would change, and how long players take for that
  for (int k = 0; k < 3; ++k) c[k] = vabs(m[3 * k + 1] * ax + m[3 * k + 2] * ay);
  const v s01 = ld(second[0]), s12 = ld(second[1]), s20 = ld(second[2]);
  const vi most0 = (c[0] >= c[1]) & (c[0] >= c[2]), most1 = c[1] >= c[2];
  const v needed = most0 ? c[1] * s01 + c[2] * s20 : most1 ? c[0] * s01 + c[2] * s12 : c[0] * s20 + c[1] * s12;
  const v part = vmin(one, bc(fmax_(S.dt, 1e-9f)) / vmax(needed, tiny));
  const vi arrived = (part >= one) & (give >= one) & (wx == gx) & (wy == gy);
  v x = arrived ? gx : px + part * ax, y = arrived ? gy : py + part * ay;
  vx = arrived ? zero : give * vx;
  vy = arrived ? zero : give * vy;
  v w[3];
  for (int k = 0; k < 3; ++k) w[k] = m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y;
  const v sum = w[0] + w[1] + w[2];
  const vi strays = ~((vmin(w[0], vmin(w[1], w[2])) >= bc(-1e-6f)) & (sum < bc(1e6f)));  // also where there is no number
  if (any(strays))
    for (int l = 0; l < W; ++l)
      if (strays[l]) {
        float at_x = x[l], at_y = y[l], left[3], least = 0.f;
        const int t = triangle[l] = walk(N, triangle[l], at_x, at_y);
        const float* own = N.map + 9 * t;
        bool lost = false;
        for (int k = 0; k < 3; ++k) {
          left[k] = own[3 * k] + own[3 * k + 1] * at_x + own[3 * k + 2] * at_y;
          least = fmin_(least, left[k]);
          lost |= !(left[k] < 1e6f);
        }
        if (least < -1e-6f || lost) {
          put_inside(N, t, at_x, at_y);
          x[l] = at_x; y[l] = at_y;
          vx[l] = vy[l] = 0.f;
        }
      }
  store_row4(x, y, vx, vy, records, POINT);
  alignas(64) float dx[W], dy[W];
  st(dx, x - px);
  st(dy, y - py);
  for (int l = 0; l < n; ++l) {
    records[l][TRIANGLE] = as_float(triangle[l]);
    M.to.dx[first + l] = dx[l];
    M.to.dy[first + l] = dy[l];
    M.to.triangle[first + l] = triangle[l];
  }
}
void move_some(void* job, int part, int parts) {
  const Moves& M = *(const Moves*)job;
  const int from = (int)((long long)M.n_rows * part / parts), to = (int)((long long)M.n_rows * (part + 1) / parts);
  for (int i = from; i < to; i += W) move_points(M, i, to - i < W ? to - i : W);
}
}  // namespace
