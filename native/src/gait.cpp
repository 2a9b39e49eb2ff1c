// How a blend travels over the ground when it is played (mocapella/gait/root_motion.py and cycle_on_ground.py).
//
// Every inner loop runs over numbers that do not depend on each other, so compilers make vectors of it without changing
// a sum: results are the same, to the bit, for every instruction set.
#include "motion.h"

namespace {
enum { N = SAMPLES, HALF = N / 2, TRAVEL = 4, FITTED = 2 * TRAVEL + 1 };
using namespace foot;

struct Constants {
  double cosine[N], sine[N];  // of the phases of the samples
  double slope[N][N];         // samples in columns → slopes per radian
  double across[N][N], along[N][N];  // cosine and sine of a harmonic, by row, at a sample
  double swinging[N][N];      // samples of a rate → swings of the heading, transposed: [from][to]
  Constants() {
    for (int s = 0; s < N; ++s) {
      volatile double phase = TURN * s / N;  // or compilers work some of these out themselves, not quite as the library does
      cosine[s] = cos(phase), sine[s] = sin(phase);
    }
    for (int h = 0; h < N; ++h)
      for (int s = 0; s < N; ++s) across[h][s] = cosine[(h * s) & (N - 1)], along[h][s] = sine[(h * s) & (N - 1)];
    for (int to = 0; to < N; ++to)
      for (int from = 0; from < N; ++from) {
        double slope_sum = 0.0, swing_sum = 0.0;
        for (int h = 1; h < HALF; ++h) {
          const int k = (h * (to - from)) & (N - 1), k0 = (h * (N - from)) & (N - 1);
          slope_sum -= 2.0 / N * h * sine[k];
          if (h < HALF - 1) swing_sum += 2.0 / (h * N) * (sine[k] - sine[k0]);
        }
        slope[to][from] = slope_sum, swinging[from][to] = swing_sum;
      }
  }
};
const Constants K;

struct Sampled { double own[N]; };

// The dofs of one joint, or of the root, evenly over the cycle, by the harmonics that so many samples can tell.
void sample(const Mixed& mixed, int first, int count, Sampled* out) {
  const int top = mixed.n - 1 < HALF - 2 ? mixed.n - 1 : HALF - 2;
  for (int d = 0; d < count; ++d) {
    const double* column = mixed.rows + first + d;
    double even[HALF + 8] = {}, odd[HALF + 8] = {};  // what is alike and opposite on both sides of the middle
    for (int s = 0; s < HALF + 8; ++s) even[s] = column[0];
    for (int h = 1; h <= top; ++h) {
      const double re = 2.0 * column[(2 * h) * mixed.stride], im = 2.0 * column[(2 * h + 1) * mixed.stride];
      const double *c = K.across[h], *o = K.along[h];
      for (int s = 0; s < HALF + 8; ++s) even[s] += re * c[s], odd[s] += im * o[s];
    }
    double* x = out[d].own;
    for (int s = 0; s <= HALF; ++s) x[s] = even[s] - odd[s];
    for (int s = 1; s < HALF; ++s) x[N - s] = even[s] + odd[s];
  }
}

struct Turns { Sampled w, x, y, z; };

void unit_turns(const Sampled d[4], Turns& q) {
  for (int s = 0; s < N; ++s) {
    const double w = d[0].own[s], x = d[1].own[s], y = d[2].own[s], z = d[3].own[s];
    const double size = sqrt(w * w + x * x + y * y + z * z), by = size > 0.0 ? size : 1.0;
    q.w.own[s] = size > 0.0 ? w / by : 1.0, q.x.own[s] = x / by, q.y.own[s] = y / by, q.z.own[s] = z / by;
  }
}

void compose(Turns& a, const Turns& b) {  // a becomes b followed by a
  for (int s = 0; s < N; ++s) {
    const double aw = a.w.own[s], ax = a.x.own[s], ay = a.y.own[s], az = a.z.own[s];
    const double bw = b.w.own[s], bx = b.x.own[s], by = b.y.own[s], bz = b.z.own[s];
    a.w.own[s] = aw * bw - ax * bx - ay * by - az * bz, a.x.own[s] = aw * bx + ax * bw + ay * bz - az * by;
    a.y.own[s] = aw * by - ax * bz + ay * bw + az * bx, a.z.own[s] = aw * bz + ax * by - ay * bx + az * bw;
  }
}

void add_turned(const Turns& q, const double v[3], Sampled& x, Sampled& y, Sampled& z) {
  const double a = v[0], b = v[1], c = v[2];
  for (int s = 0; s < N; ++s) {
    const double w = q.w.own[s], i = q.x.own[s], j = q.y.own[s], k = q.z.own[s];
    const double tx = 2.0 * (j * c - k * b), ty = 2.0 * (k * a - i * c), tz = 2.0 * (i * b - j * a);
    x.own[s] += a + w * tx + (j * tz - k * ty), y.own[s] += b + w * ty + (k * tx - i * tz), z.own[s] += c + w * tz + (i * ty - j * tx);
  }
}

// Positions of the foot points from the root: by sample ahead and left of each, then the height of each.
void feet_of(const PlayerTables& tables, const Mixed& mixed, const Sampled& height, double feet[N][12]) {
  Sampled dofs[4];
  Turns root;
  sample(mixed, 0, 4, dofs);
  unit_turns(dofs, root);
  for (int side = 0; side < 2; ++side) {
    const PlayerLeg& leg = tables.leg[side];
    Turns world = root, local;
    Sampled x = {}, y = height, z = {};
    for (int i = 0; i < leg.n; ++i) {
      add_turned(world, leg.offset[i], x, y, z);
      sample(mixed, 4 * leg.joint[i], 4, dofs);
      unit_turns(dofs, local);
      compose(world, local);
    }
    for (int point = 0; point < 2; ++point) {
      Sampled px = x, py = y, pz = z;
      add_turned(world, point ? leg.ball : leg.heel, px, py, pz);
      const int at = 2 * side + point;
      for (int s = 0; s < N; ++s) feet[s][2 * at] = pz.own[s], feet[s][2 * at + 1] = px.own[s], feet[s][8 + at] = py.own[s];
    }
  }
}

// Least squares with a Hermitian, positive matrix; a direction that nothing decides is left out.
void solve(C matrix[FITTED][FITTED], C goal[FITTED]) {
  for (int j = 0; j < FITTED; ++j) {
    double pivot = matrix[j][j].re;
    for (int k = 0; k < j; ++k) pivot -= matrix[j][k].re * matrix[j][k].re + matrix[j][k].im * matrix[j][k].im;
    const double root = pivot > 0.0 ? sqrt(pivot) : INFINITY;
    matrix[j][j] = {root, 0.0};
    for (int i = j + 1; i < FITTED; ++i) {
      C sum = matrix[i][j];
      for (int k = 0; k < j; ++k) sum = sum - matrix[i][k] * conj(matrix[j][k]);
      matrix[i][j] = (1.0 / root) * sum;
    }
  }
  for (int i = 0; i < FITTED; ++i) {
    for (int k = 0; k < i; ++k) goal[i] = goal[i] - matrix[i][k] * goal[k];
    goal[i] = (1.0 / matrix[i][i].re) * goal[i];
  }
  for (int i = FITTED - 1; i >= 0; --i) {
    for (int k = i + 1; k < FITTED; ++k) goal[i] = goal[i] - conj(matrix[k][i]) * goal[k];
    goal[i] = (1.0 / matrix[i][i].re) * goal[i];
  }
}

C wave(int order, int sample_) {  // exp(i order phase)
  const int k = (order * sample_) & (N - 1);
  return {K.cosine[k], K.sine[k]};
}

// The root velocity and height fitted to what resting foot points require; adds the first to ``velocity``.
void fit(const double weights[N][4], const double over[4][N], const C asked[N][4], C velocity[N], double& mean, C& swing) {
  C totals[4 * TRAVEL + 1] = {}, goal[FITTED] = {}, first_over = {};
  double mean_over = 0.0;
  for (int s = 0; s < N; ++s) {
    double weight = 0.0, high = 0.0;
    C want = {};
    for (int p = 0; p < 4; ++p) {
      weight += weights[s][p], high += weights[s][p] * over[p][s];
      want = want + weights[s][p] * asked[s][p];
    }
    for (int j = 0; j <= 2 * TRAVEL; ++j) totals[2 * TRAVEL + j] = totals[2 * TRAVEL + j] + weight * conj(wave(j, s));
    for (int j = 0; j < FITTED; ++j) goal[j] = goal[j] + want * conj(wave(j - TRAVEL, s));
    mean_over += high, first_over = first_over + high * conj(wave(1, s));
  }
  mean = 0.0, swing = {};
  const double total = totals[2 * TRAVEL].re;
  if (!(total > 0.0)) return;
  for (int j = 1; j <= 2 * TRAVEL; ++j) totals[2 * TRAVEL - j] = conj(totals[2 * TRAVEL + j]);
  C matrix[FITTED][FITTED];
  for (int a = 0; a < FITTED; ++a)
    for (int b = 0; b < FITTED; ++b) {
      matrix[a][b] = totals[a - b + 2 * TRAVEL];
      if (a == b) matrix[a][b].re += STIFFNESS * N * (a - TRAVEL) * (a - TRAVEL);
    }
  solve(matrix, goal);
  for (int s = 0; s < N; ++s)
    for (int j = 0; j < FITTED; ++j) velocity[s] = velocity[s] + goal[j] * wave(j - TRAVEL, s);
  const C first = totals[2 * TRAVEL + 1], second = totals[2 * TRAVEL + 2], wanted = {-first_over.re, -first_over.im};
  const double own = total + STIFFNESS * N - (first.re * first.re + first.im * first.im) / total;
  const C other = second - (1.0 / total) * (first * first), left = wanted - (-mean_over / total) * first;
  const double by = own * own - (other.re * other.re + other.im * other.im);
  swing = (1.0 / by) * (own * left - other * conj(left));
  mean = (-mean_over - 2.0 * (conj(first) * swing).re) / total;
}

// Harmonics of velocities as seen from the frame that turns evenly; a motion that gets nowhere stays.
void even_frame(const C velocity[N], const double turning[N], double per_second, C out[N]) {
  double swing[N] = {}, total = 0.0;
  for (int from = 0; from < N; ++from) {
    for (int to = 0; to < N; ++to) swing[to] += K.swinging[from][to] * turning[from];
    total += turning[from];
  }
  double re[N] = {}, im[N] = {};
  for (int s = 0; s < N; ++s) {
    const C v = velocity[s] * turned(swing[s]);
    const double *c = K.across[s], *d = K.along[s];
    for (int k = 0; k < N; ++k) re[k] += v.re * c[k] + v.im * d[k], im[k] += v.im * c[k] - v.re * d[k];
  }
  for (int k = 0; k < N; ++k) out[k] = {re[k] / N, im[k] / N};
  const double speed = per_second * size(out[0]);
  if (speed < GOES) {
    const double turns = per_second / (TURNS * N) * fabs(total);
    const double going = smoothstep(most(0.0, (speed - STAYS) / (GOES - STAYS)));
    out[0] = (going + (1.0 - going) * smoothstep(least(1.0, turns))) * out[0];
  }
}

// The table of a gait: harmonics of feet, heights, heading and path.
void lay_out(const Mixed& mixed, const double feet[N][12], const C velocities[N], PlayerGait& gait) {
  for (int k = 0; k <= HALF; ++k) {
    double re[12] = {}, im[12] = {};
    for (int s = 0; s < N; ++s) {
      const double c = K.cosine[(k * s) & (N - 1)] / N, d = K.sine[(k * s) & (N - 1)] / N;
      for (int i = 0; i < 12; ++i) re[i] += feet[s][i] * c, im[i] -= feet[s][i] * d;
    }
    for (int r = 0; r < 6; ++r) {
      const double a = re[2 * r], b = im[2 * r], c = re[2 * r + 1], d = im[2 * r + 1];
      gait.table[k][0][r] = a - d, gait.table[k][1][r] = b + c;
      if (k > 0 && k < HALF) gait.table[N - k][0][r] = a + d, gait.table[N - k][1][r] = c - b;
    }
  }
  const double* rates = mixed.rows + mixed.dofs - 1;
  const double rate = TURN / mixed.duration, even = rates[0] / rate;
  const int whole = fabs(even) < HALF ? (int)nearbyint(even) : HALF;
  C steady = {}, origin = {};
  double start = 0.0;
  for (int k = 0; k < N; ++k) {
    const double frequency = (k < HALF ? k : k - N) + even;
    C path = {velocities[k].im / frequency, -velocities[k].re / frequency};
    if (fabs(even - whole) <= 1e-6 && whole > -HALF && whole < HALF && k == ((-whole) & (N - 1))) steady = velocities[k], path = {};
    gait.table[k][0][PATH] = path.re, gait.table[k][1][PATH] = path.im;
    gait.table[k][0][YAW] = gait.table[k][1][YAW] = 0.0;
    origin = origin + path;
  }
  for (int h = 1; h < mixed.n; ++h) {  // what a rate adds up to, twice, as each harmonic stands for its mirror image
    const double re = rates[2 * h * mixed.stride], im = rates[(2 * h + 1) * mixed.stride], by = 2.0 / (h * rate);
    double* const at[2] = {h < HALF ? &gait.table[h][0][YAW] : &gait.beyond[h][0], h < HALF ? &gait.table[h][1][YAW] : &gait.beyond[h][1]};
    *at[0] = by * im, *at[1] = -by * re;
    start += by * im;
  }
  gait.rows = mixed.n, gait.duration = mixed.duration, gait.rate = rate, gait.even = even, gait.start = start;
  put(gait.steady, steady), put(gait.origin, origin), put(gait.velocity, rate * velocities[0]);
}
}  // namespace

void make_gait(const PlayerTables& tables, const PlayerSettings& set, const Mixed& mixed, PlayerGait& gait) {
  const double per_radian = mixed.duration / TURN, per_second = TURN / mixed.duration;
  Sampled root[4];
  sample(mixed, mixed.dofs - 4, 4, root);
  C velocity[N], progress[N];
  double turning[N];
  for (int s = 0; s < N; ++s) {
    velocity[s] = {root[1].own[s] * per_radian, root[2].own[s] * per_radian};
    turning[s] = root[3].own[s] * per_radian;
  }
  for (int p = 0; p < 4; ++p) {
    gait.n_arcs[p] = mixed.arcs[p].n;
    for (int i = 0; i < mixed.arcs[p].n; ++i) gait.arc[p][i][0] = mixed.arcs[p].own[i].start, gait.arc[p][i][1] = mixed.arcs[p].own[i].length;
  }
  gait.lift = 0.0, put(gait.swing, {});
  if (set.feet == 2.0) {
    static const double nothing[N][12] = {};
    even_frame(velocity, turning, per_second, progress);
    lay_out(mixed, nothing, progress, gait);
    memset(gait.bearing, 0, sizeof gait.bearing);
    plants_of(mixed.arcs, mixed.duration, set, gait);
    gait.ready = 1.0;
    return;
  }
  double feet[N][12], over[4][N], slopes[N][8], weights[N][4], total = 0.0;
  feet_of(tables, mixed, root[0], feet);
  for (int p = 0; p < 4; ++p) {
    const double sole = p % 2 ? tables.leg[p / 2].toe_height : tables.leg[p / 2].heel_height;
    for (int s = 0; s < N; ++s) over[p][s] = feet[s][8 + p] - sole;
  }
  Arcs arcs[4];
  memcpy(arcs, mixed.arcs, sizeof arcs);
  resting_arcs(arcs, over, -INFINITY);
  bearings_of(arcs, mixed.duration, set, gait.bearing);
  for (int s = 0; s < N; ++s) {
    double sum[8] = {};
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < 8; ++i) sum[i] += K.slope[s][k] * feet[k][i];
    memcpy(slopes[s], sum, sizeof sum);
    total += size(velocity[s]);
  }
  const double pace = ROLLING / N * total + 1e-3 * mixed.duration / TURN;
  C asked[N][4];
  double swivels[2][N];
  for (int s = 0; s < N; ++s) {
    for (int p = 0; p < 4; ++p) {
      const C place = pair(&feet[s][2 * p]), move = pair(&slopes[s][2 * p]);
      asked[s][p] = C{turning[s] * place.im, -turning[s] * place.re} - move - velocity[s];
      const double doubt = size(asked[s][p]) / pace;
      weights[s][p] = gait.bearing[s][p] / (1.0 + doubt * doubt);
    }
    for (int foot = 0; foot < 2; ++foot) {
      const C heel = pair(&feet[s][4 * foot]), toe = pair(&feet[s][4 * foot + 2]);
      const C sole = {toe.re - heel.re + NO_LENGTH, toe.im - heel.im}, move = pair(&slopes[s][4 * foot + 2]) - pair(&slopes[s][4 * foot]);
      const double far = sole.re * sole.re + sole.im * sole.im;
      const double turn = far > 0.0 ? (move.im * sole.re - move.re * sole.im) / far : 0.0;
      swivels[foot][s] = (turn + turning[s]) * per_second;
    }
  }
  double mean;
  C swing;
  fit(weights, over, asked, velocity, mean, swing);
  even_frame(velocity, turning, per_second, progress);
  for (int s = 0; s < N; ++s) {
    const double lift = mean + 2.0 * K.cosine[s] * swing.re - 2.0 * K.sine[s] * swing.im;
    for (int p = 0; p < 4; ++p) over[p][s] += lift;
  }
  memcpy(arcs, mixed.arcs, sizeof arcs);
  resting_arcs(arcs, over, 0.0);
  until_heels_rise(arcs, over, swivels);
  level_arcs(arcs, over);
  lay_out(mixed, feet, progress, gait);
  gait.lift = mean, put(gait.swing, 2.0 * swing);
  plants_of(arcs, mixed.duration, set, gait);
  gait.ready = 1.0;
}

const Moment& moment_of(const PlayerGait& gait, Moments& known, double phase) {
  const int room = sizeof known.own / sizeof known.own[0];
  for (int i = 0; i < (known.n < room ? known.n : room); ++i)
    if (known.own[i].phase == phase) return known.own[i];
  if (known.n >= 2 * room) known.n -= room;
  Moment& out = known.own[known.n++ % room];
  out.phase = phase;
  const C step = turned(phase);
  double value_re[8] = {}, value_im[8] = {}, slope_re[8] = {}, slope_im[8] = {};
  C wave_ = {1.0, 0.0};
  for (int order = 0; order <= HALF; ++order) {
    for (int side = 0; side < 2; ++side) {
      if (side ? order == 0 : order == HALF) continue;  // orders 0 … 15, and −1 … −16
      const double* re = gait.table[side ? N - order : order][0];
      const double* im = gait.table[side ? N - order : order][1];
      const double c = wave_.re, d = side ? -wave_.im : wave_.im, by = side ? -order : order;
      for (int r = 0; r < 8; ++r) {
        const double x = re[r] * c - im[r] * d, y = re[r] * d + im[r] * c;
        value_re[r] += x, value_im[r] += y, slope_re[r] -= by * y, slope_im[r] += by * x;
      }
    }
    wave_ = wave_ * step;
  }
  for (int h = HALF; h < gait.rows; ++h) {
    const C w = turned(h * phase);
    const double x = gait.beyond[h][0] * w.re - gait.beyond[h][1] * w.im, y = gait.beyond[h][0] * w.im + gait.beyond[h][1] * w.re;
    value_re[YAW] += x, slope_re[YAW] -= h * y;
  }
  for (int r = 0; r < 8; ++r) out.value[r] = {value_re[r], value_im[r]}, out.slope[r] = {slope_re[r], slope_im[r]};
  out.yaw = gait.even * phase + out.value[YAW].re - gait.start;
  out.path = turned(gait.even * phase) * out.value[PATH] + phase * pair(gait.steady) - pair(gait.origin);
  return out;
}

Touch touch_of(const PlayerGait& gait, Moments& known, int point, double phase) {
  const Moment& m = moment_of(gait, known, phase);
  const C even = turned(gait.even * phase), heading = turned(m.yaw), place = m.value[point];
  const double turning = gait.even + m.slope[YAW].re;
  const C on = {-gait.even * m.value[PATH].im, gait.even * m.value[PATH].re};
  const C going = even * (m.slope[PATH] + on) + pair(gait.steady);
  const C speed = going + heading * (m.slope[point] + C{-turning * place.im, turning * place.re});
  const double rise = own_height(m.slope, point) - (gait.swing[0] * sin(phase) + gait.swing[1] * cos(phase));
  return {m.path + heading * place, speed, own_height(m.value, point) + lift_of(gait, phase), rise};
}
