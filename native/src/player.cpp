// One character's step: the blending point moves, the blend with it, the root advances, feet are held (mocapella/playback).
#include "motion.h"
#define API extern "C" __attribute__((visibility("default")))

namespace {
const double ARRIVED = 1e-7, TOO_MUCH = 1.1, ENOUGH = 0.5, LEAP = 0.01, INSIDE = -1e-12, CLOSED = 0.5, SHORTEST_ARC = 1e-9;
const double MOST_GAIN = 10.0, NO_ENERGY = 1e-290, NOTHING = 1e-9, OVER_FIRST = 1e-12;
const double STANDING = 0.1;  // m/s: what is slower goes nowhere
const int TRIES = 8, LONGEST_WALK = 8;

struct Place {  // where a point lies: its simplex, the nodes that count, and how much
  int simplex, n, node[PLAYER_NODES];
  double weight[PLAYER_NODES], point[PLAYER_AXES];
  bool inside;
};

struct Parts {  // the arrays behind a record
  double *rotations, *mixed, *scratch, *dofs, *over;
  Moments* known;
};

int dofs_of(const PlayerTables& t) { return 4 * t.joints + 4; }
long long rounded(long long bytes) { return (bytes + 63) / 64 * 64; }
long long room_of(const PlayerTables& t) {
  const long long coefficients = 2LL * t.rows * t.stride;
  return rounded(sizeof(PlayerRecord)) + rounded(8LL * 4 * t.joints) + 2 * rounded(8 * coefficients) + 2 * rounded(8LL * (t.stride + 8)) +
         rounded(sizeof(Moments));
}
Parts parts_of(const PlayerTables& t, PlayerRecord& record) {
  char* at = (char*)&record + rounded(sizeof(PlayerRecord));
  auto take = [&](long long bytes) {
    char* here = at;
    at += rounded(bytes);
    return (double*)here;
  };
  const long long coefficients = 2LL * t.rows * t.stride;
  Parts out;
  out.rotations = take(8LL * 4 * t.joints), out.mixed = take(8 * coefficients), out.scratch = take(8 * coefficients);
  out.dofs = take(8LL * (t.stride + 8)), out.over = take(8LL * (t.stride + 8)), out.known = (Moments*)take(sizeof(Moments));
  return out;
}

// Places.

void weigh(const PlayerTables& t, int simplex, const double* at, double* out) {
  const int columns = 1 + t.mesh_axes;
  for (int i = 0; i < t.corners; ++i) {
    const double* row = t.map + ((long long)simplex * t.corners + i) * columns;
    double sum = 0.0;
    for (int a = 0; a < t.mesh_axes; ++a) sum += row[1 + a] * at[a];
    out[i] = row[0] + sum;
  }
}

bool holds(const PlayerTables& t, int simplex, const double* at, double* weights, int& lowest) {
  weigh(t, simplex, at, weights);
  lowest = 0;
  for (int i = 1; i < t.corners; ++i)
    if (weights[i] < weights[lowest]) lowest = i;
  return weights[lowest] >= INSIDE;
}

int find(const PlayerTables& t, const double* at, int hint, double* weights) {
  int lowest, simplex = hint;
  for (int i = 0; i < LONGEST_WALK && simplex >= 0; ++i) {
    if (holds(t, simplex, at, weights, lowest)) return simplex;
    simplex = t.neighbour[(long long)simplex * t.corners + lowest];
  }
  for (simplex = 0; simplex < t.simplices; ++simplex)
    if (holds(t, simplex, at, weights, lowest)) return simplex;
  return -1;
}

// Where a point lies in the network; false where that is not for this core: outside of what has gaps, or of a volume.
bool place_of(const PlayerTables& t, const double* point, int hint, Place& out) {
  out.simplex = 0, out.n = t.corners, out.inside = true;
  memcpy(out.point, point, sizeof out.point);
  if (t.single) {
    out.n = 1, out.node[0] = 0, out.weight[0] = 1.0;
    for (int a = 0; a < t.axes; ++a) out.inside = out.inside && point[a] == t.point[a], out.point[a] = t.point[a];
    return true;
  }
  double at[PLAYER_AXES];
  memcpy(at, point, sizeof at);
  if (t.line) {
    const double *first = t.along, *way = t.along + t.axes, far = t.along[2 * t.axes];
    double share = 0.0, off = 0.0;
    for (int a = 0; a < t.axes; ++a) share += (point[a] - first[a]) * way[a];
    for (int a = 0; a < t.axes; ++a) {
      const double left = point[a] - first[a] - share * way[a];
      off += left * left;
    }
    at[0] = share, out.inside = sqrt(off) <= 1e-7 * far;
  }
  int simplex = find(t, at, hint, out.weight);
  if (simplex < 0) {
    out.inside = false;
    if (t.mesh_axes > 2 || (t.clamp && t.mesh_axes == 2 && !t.convex)) return false;
    double best = INFINITY, nearest[2] = {0.0, 0.0};
    for (int e = 0; e < t.border; ++e) {
      const double* edge = t.edge + (long long)e * 2 * t.mesh_axes;
      double there[2], apart = 0.0, share = 0.0;
      if (t.mesh_axes == 2) {
        const double x = edge[2] - edge[0], y = edge[3] - edge[1], far = x * x + y * y;
        share = ((at[0] * t.scale[0] - edge[0]) * x + (at[1] * t.scale[1] - edge[1]) * y) / far;
        share = within(share, 0.0, 1.0);
      }
      for (int a = 0; a < t.mesh_axes; ++a) {
        there[a] = t.mesh_axes == 2 ? edge[a] + share * (edge[2 + a] - edge[a]) : edge[a];
        apart += (there[a] - at[a] * t.scale[a]) * (there[a] - at[a] * t.scale[a]);
      }
      if (apart < best) best = apart, simplex = t.border_simplex[e], memcpy(nearest, there, sizeof there);
    }
    if (simplex < 0) return false;
    if (t.clamp)
      for (int a = 0; a < t.mesh_axes; ++a) at[a] = nearest[a] / t.scale[a];
    weigh(t, simplex, at, out.weight);
  }
  out.simplex = simplex;
  for (int i = 0; i < t.corners; ++i) out.node[i] = t.corner[(long long)simplex * t.corners + i];
  if (t.clamp) {
    double total = 0.0;
    bool below = false;
    for (int i = 0; i < t.corners; ++i) below = below || out.weight[i] < 0.0, total += most(out.weight[i], 0.0);
    if (below)
      for (int i = 0; i < t.corners; ++i) out.weight[i] = most(out.weight[i], 0.0) / total;
  }
  for (int a = 0; a < t.axes; ++a) out.point[a] = t.line ? t.along[a] + at[0] * t.along[t.axes + a] : at[a];
  return true;
}

// A place with what is left of old weights mixed in.
bool faded(const PlayerTables& t, const PlayerSettings& set, const PlayerState& s, double age, const Place& aim, Place& out) {
  out = aim;
  if (s.n_fade == 0.0) return true;
  const double old = smoothstep(most(0.0, 1.0 - age / set.fade));
  int nodes[PLAYER_FADING + 4], n = 0;
  double shares[PLAYER_FADING + 4];
  auto add = [&](int node, double share) {
    int i = 0;
    while (i < n && nodes[i] < node) ++i;
    if (i == n || nodes[i] != node) {
      for (int k = n; k > i; --k) nodes[k] = nodes[k - 1], shares[k] = shares[k - 1];
      nodes[i] = node, shares[i] = 0.0, ++n;
    }
    shares[i] += share;
  };
  for (int i = 0; i < (int)s.n_fade; ++i) add((int)s.fade[i], old * s.fade_weight[i]);
  for (int i = 0; i < aim.n; ++i) add(aim.node[i], (1.0 - old) * aim.weight[i]);
  out.n = 0;
  for (int i = 0; i < n; ++i)
    if (shares[i] != 0.0) out.node[out.n] = nodes[i], out.weight[out.n++] = shares[i];
  for (int a = 0; a < t.axes; ++a) {
    out.point[a] = 0.0;
    for (int i = 0; i < out.n; ++i) out.point[a] += out.weight[i] * t.point[out.node[i] * t.axes + a];
  }
  return out.n > 0;
}

// Blends.

int own_of(const PlayerTables& t, int node) {
  for (int i = 0; i < t.own; ++i)
    if (t.own_node[i] == node) return i;
  return -1;
}

// The blend at a place into ``rows``; false where it would last no time.
bool mix(const PlayerTables& t, const Place& place, double count, double* rows, Mixed& out) {
  int node[PLAYER_NODES], n = 0;
  double weight[PLAYER_NODES], share = 1.0;
  bool apart = false;  // whether some keep their own time, and others that count do not
  if (t.own) {
    double together = 0.0;
    for (int i = 0; i < place.n; ++i)
      if (own_of(t, place.node[i]) < 0) apart = apart || place.weight[i] != 0.0, together += place.weight[i];
    if (apart) {
      if (!(fabs(together) > OVER_FIRST)) return false;
      share = together;
      for (int i = 0; i < place.n; ++i)
        if (own_of(t, place.node[i]) < 0 && place.weight[i] != 0.0) node[n] = place.node[i], weight[n++] = place.weight[i] / share;
    }
  }
  if (!apart)
    for (; n < place.n; ++n) node[n] = place.node[n], weight[n] = place.weight[n];
  const int stride = t.stride, per_node = 2 * t.rows * stride, times = 1 + 2 * t.plants, numbers = 1 + t.needed;
  double sums[1 + 2 * 4 * PLAYER_ARCS] = {}, late[1 + PLAYER_ROWS] = {};
  memset(rows, 0, sizeof(double) * per_node);
  for (int i = 0; i < n; ++i) {
    const double w = weight[i];
    const double* from = t.coefficients + (long long)node[i] * per_node;
    for (int k = 0; k < per_node; ++k) rows[k] += w * from[k];
    for (int k = 0; k < times; ++k) sums[k] += w * t.timing[(long long)node[i] * times + k];
    for (int k = 0; k < numbers; ++k) late[k] += w * t.late[(long long)node[i] * numbers + k];
  }
  out.duration = sums[0];
  if (!(out.duration > 0.0) || !isfinite(out.duration)) return false;
  for (int h = t.first; h < t.rows; ++h) {  // upper harmonics have the mean energy of the nodes' own
    double *re = rows + 2 * h * stride, *im = re + stride, squares[8] = {};
    for (int d = 0; d < stride; d += 8)
      for (int i = 0; i < 8; ++i) squares[i] += t.free[d + i] * (re[d + i] * re[d + i] + im[d + i] * im[d + i]);
    const double energy = ((squares[0] + squares[4]) + (squares[2] + squares[6])) + ((squares[1] + squares[5]) + (squares[3] + squares[7]));
    const double gain = sqrt(within(late[1 + h - t.first] / most(energy, NO_ENERGY), 1.0, MOST_GAIN)) - 1.0;
    for (int d = 0; d < stride; ++d) re[d] *= gain * t.free[d] + 1.0, im[d] *= gain * t.free[d] + 1.0;
  }
  if (t.turned)
    for (int h = 1; h < t.rows; ++h) {
      const C by = turned(-late[0] * h);
      double *re = rows + 2 * h * stride, *im = re + stride;
      for (int d = 0; d < stride; ++d) {
        const double a = re[d], b = im[d];
        re[d] = a * by.re - b * by.im, im[d] = a * by.im + b * by.re;
      }
    }
  if (apart) {
    for (int k = 0; k < per_node; ++k) rows[k] *= share;
    for (int i = 0; i < place.n; ++i)
      if (place.weight[i] != 0.0 && own_of(t, place.node[i]) >= 0)
        for (int d = 0; d < stride; ++d) rows[d] += place.weight[i] * t.coefficients[(long long)place.node[i] * per_node + d];
  }
  out.rows = rows, out.n = t.rows, out.stride = stride, out.dofs = dofs_of(t);
  if (t.own && !apart) {  // where all that count keep their own time only the mean posture is on the common clock
    bool all = true;
    for (int i = 0; i < place.n; ++i) all = all && (place.weight[i] == 0.0 || own_of(t, place.node[i]) >= 0);
    if (all) out.n = 1;
  }
  if (count >= 0.0 && count < t.rows - 1) {
    const int top = (int)ceil(count);
    for (int h = 0; h <= top && h < t.rows; ++h) {
      const double gain = within(count + 1.0 - h, 0.0, 1.0);
      for (int k = 0; k < 2 * stride; ++k) rows[2 * h * stride + k] *= gain;
    }
    if (top + 1 < out.n) out.n = top + 1;
  }
  for (int p = 0; p < 4; ++p) out.arcs[p].n = 0;
  for (int i = 0; i < t.plants; ++i) {
    const double start = sums[1 + i], length_ = sums[1 + t.plants + i];
    if (!isfinite(start) || !(fabs(start) < 1e6) || !isfinite(length_)) return false;
    Arcs& own = out.arcs[t.plant_point[i]];
    if (length_ > SHORTEST_ARC) own.own[own.n++] = {wrapped(start, TURN), least(length_, TURN)};
  }
  for (int p = 0; p < 4; ++p)
    if (t.plants && t.gap[p] >= 0.0 && out.arcs[p].n > 1) {
      if (t.gap[p] > 0.0) merge_arcs(out.arcs[p], CLOSED * t.gap[p]);
      sort_arcs(out.arcs[p]);
    }
  return true;
}

// The dofs of a blend at a cycle phase.
void synthesise(const Mixed& mixed, double phase, double* out) {
  const int stride = mixed.stride;
  memcpy(out, mixed.rows, sizeof(double) * stride);
  const C step = turned(phase);
  C w = step;
  for (int h = 1; h < mixed.n; ++h, w = h % 16 ? w * step : turned((h)*phase)) {
    const double *re = mixed.rows + 2 * h * stride, *im = re + stride, a = 2.0 * w.re, b = 2.0 * w.im;
    for (int d = 0; d < stride; ++d) out[d] += a * re[d] - b * im[d];
  }
}

// What nodes with their own time add: dofs, then path ahead and left, and yaw.
void lay_over(const PlayerTables& t, const PlayerState& s, double count, const Place& place, double* out) {
  const int columns = t.stride + 8;
  memset(out, 0, sizeof(double) * columns);
  for (int i = 0; i < place.n; ++i) {
    const int own = own_of(t, place.node[i]);
    if (own < 0 || place.weight[i] == 0.0) continue;
    for (int h = 1; h < t.rows; ++h) {
      const double gain = count >= 0.0 ? within(count + 1.0 - h, 0.0, 1.0) : 1.0;
      const C w = (2.0 * place.weight[i] * gain) * turned(h * s.clock[own]);
      const double* re = t.swing + ((long long)own * (t.rows - 1) + h - 1) * 2 * columns;
      for (int d = 0; d < columns; ++d) out[d] += w.re * re[d] - w.im * re[columns + d];
    }
  }
}

double played(double count, const PlayerSettings& set) { return count >= 0.0 ? count : set.harmonics; }

void keep_spot(PlayerRecord& r, const Place& place) {
  PlayerGait& gait = r.gait;
  r.serial = r.serial < 1e15 ? r.serial + 1.0 : 1.0;
  gait.n_spot = place.n;
  for (int i = 0; i < place.n; ++i) gait.spot[i] = place.node[i], gait.spot_weight[i] = place.weight[i];
}

Mixed blended(const PlayerTables& t, const PlayerGait& gait, const double* rows) {
  Mixed out = {};
  out.rows = rows, out.n = (int)gait.rows, out.stride = t.stride, out.dofs = dofs_of(t), out.duration = gait.duration;
  return out;
}

Place aim_of(const PlayerState& s) {
  Place out = {};
  out.simplex = (int)s.simplex, out.n = (int)s.n_aim, out.inside = s.inside != 0.0;
  for (int i = 0; i < out.n; ++i) out.node[i] = (int)s.aim[i], out.weight[i] = s.aim_weight[i];
  memcpy(out.point, s.aim_point, sizeof out.point);
  return out;
}

// The gait of a state, where it is not known.
int make_ready(const PlayerTables& t, const PlayerSettings& set, PlayerRecord& r, const Parts& parts) {
  if (r.gait.ready != 0.0) return 0;
  Place spot;
  Mixed mixed;
  if (!faded(t, set, r.state, r.state.fade_age, aim_of(r.state), spot) || !mix(t, spot, played(r.state.harmonics, set), parts.scratch, mixed)) return 1;
  memcpy(parts.mixed, parts.scratch, sizeof(double) * 2 * t.rows * t.stride);
  parts.known->n = 0;
  mixed.rows = parts.mixed;
  make_gait(t, set, mixed, r.gait);
  keep_spot(r, spot);
  return 0;
}

Place spot_of(const PlayerGait& gait) {
  Place out = {};
  out.n = (int)gait.n_spot;
  for (int i = 0; i < out.n; ++i) out.node[i] = (int)gait.spot[i], out.weight[i] = gait.spot_weight[i];
  return out;
}

// The blending point.

bool triggered(const PlayerRecord& r, const Place& spot) {  // whether a zone is entered: what follows is not for this core
  for (int i = 0; i < (int)r.n_triggers; ++i) {
    double weight = 0.0;
    for (int k = 0; k < spot.n; ++k)
      if (spot.node[k] == r.trigger[i]) weight += spot.weight[k];
    if (weight >= r.zone[i] - 1e-9) return true;
  }
  return false;
}

struct Eased { double point[PLAYER_AXES], velocity[PLAYER_AXES]; };

double far_of(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += (a[i] - (b ? b[i] : 0.0)) * (a[i] - (b ? b[i] : 0.0));
  return sqrt(sum);
}

// The point ``dt`` seconds later, like a weight on a damped spring that never overshoots.
Eased eased(const PlayerTables& t, const PlayerSettings& set, const PlayerState& s, double dt) {
  const double pace = s.pace >= 0.0 ? s.pace : set.pace;
  Eased out = {};
  double scale = 1.0;
  if (set.ease <= 0.0) memcpy(out.point, s.goal, sizeof out.point);
  else {
    const double stiffness = 3.89 / set.ease, decay = exp(-stiffness * dt);
    for (int a = 0; a < t.axes; ++a) {
      const double off = s.point[a] - s.goal[a], pull = s.velocity[a] + stiffness * off;
      out.point[a] = s.goal[a] + (off + pull * dt) * decay;
      out.velocity[a] = (s.velocity[a] - stiffness * pull * dt) * decay;
    }
  }
  const double step = far_of(out.point, s.point, t.axes);
  if (step > pace * dt) {
    const double share = pace * dt / step, speed = far_of(out.velocity, nullptr, t.axes);
    for (int a = 0; a < t.axes; ++a) {
      out.point[a] = s.point[a] + share * (out.point[a] - s.point[a]);
      if (speed > 0.0) out.velocity[a] *= least(1.0, pace / speed);
    }
  }
  for (int a = 0; a < t.axes; ++a) scale = most(scale, fabs(s.goal[a]));
  if (far_of(out.point, s.goal, t.axes) < ARRIVED * scale && far_of(out.velocity, nullptr, t.axes) < 1e-4 * scale) {
    memcpy(out.point, s.goal, sizeof out.point);
    memset(out.velocity, 0, sizeof out.velocity);
  }
  return out;
}

double approached(double count, const PlayerSettings& set, double seconds) {
  if (count < 0.0) return -1.0;
  const double goal = set.harmonics, furthest = set.harmonic_rate * seconds;
  if (goal < 0.0) return count + furthest;
  return fabs(goal - count) <= furthest ? -1.0 : count + copysign(furthest, goal - count);
}

// How fast a change of motion is within this time, as a multiple of what the settings allow.
double load_of(const PlayerTables& t, const PlayerSettings& set, const PlayerState& s, const Mixed& mixed, const Place& spot, double count,
               const double* before, double* dofs, double* over, double dt) {
  synthesise(mixed, s.phase, dofs);
  const int n = dofs_of(t);
  if (t.own) {
    lay_over(t, s, count, spot, over);
    for (int d = 0; d < n; ++d) dofs[d] += over[d];
  }
  double turn = 0.0;
  for (int d = 0; d < n - 4; ++d) turn = most(turn, fabs(dofs[d] - before[d]));
  return most(2.0 * turn / set.agility, fabs(dofs[n - 4] - before[n - 4]) / set.rise) / most(dt, 1e-9);
}

// The blending point moved, and the blend with it. 0: it rests; 1: it moved; −1: nothing for this core, nothing changed.
int move_point(const PlayerTables& t, const PlayerSettings& set, PlayerRecord& r, const Parts& parts, double dt) {
  PlayerState& s = r.state;
  bool rests = true, still = true;
  for (int a = 0; a < t.axes; ++a) rests = rests && s.point[a] == s.goal[a];
  Eased ahead = {};
  memcpy(ahead.point, s.point, sizeof ahead.point), memcpy(ahead.velocity, s.velocity, sizeof ahead.velocity);
  if (!rests) ahead = eased(t, set, s, dt);
  for (int a = 0; a < t.axes; ++a) still = still && ahead.point[a] == s.point[a];
  if (still && s.n_fade == 0.0 && s.harmonics < 0.0) {
    memcpy(s.velocity, ahead.velocity, sizeof s.velocity);
    return 0;
  }
  const double give = s.strain <= set.strain_from ? 1.0 : smoothstep(most(0.0, (set.strain_to - s.strain) / (set.strain_to - set.strain_from)));
  if (give < 1.0)
    for (int a = 0; a < t.axes; ++a) ahead.point[a] = s.point[a] + give * (ahead.point[a] - s.point[a]), ahead.velocity[a] *= give;
  const double seconds = give * dt;
  synthesise(blended(t, r.gait, parts.mixed), s.phase, parts.dofs);
  if (t.own) {
    lay_over(t, s, played(s.harmonics, set), spot_of(r.gait), parts.over);
    for (int d = 0; d < t.stride; ++d) parts.dofs[d] += parts.over[d];
  }
  double there_dofs[4 * PLAYER_JOINTS + 16], over[4 * PLAYER_JOINTS + 24];
  const bool fading = s.n_fade > 0.0 && s.fade_age < set.fade;
  double share = 1.0, low = 0.0, high = 1.0, steep = 1.0, count = -1.0, there[PLAYER_AXES];
  Place aim, spot;
  Mixed mixed;
  PlayerState next = s;
  if (!fading) next.n_fade = 0.0, next.fade_age = 0.0;
  for (int i = 0; i < TRIES; ++i) {
    for (int a = 0; a < PLAYER_AXES; ++a) there[a] = share == 1.0 ? ahead.point[a] : s.point[a] + share * (ahead.point[a] - s.point[a]);
    next.fade_age = fading ? s.fade_age + share * seconds : 0.0;
    count = approached(s.harmonics, set, share * seconds);
    if (!place_of(t, there, (int)s.simplex, aim)) return -1;
    if (!faded(t, set, next, next.fade_age, aim, spot) || !mix(t, spot, played(count, set), parts.scratch, mixed)) return -1;
    if (share == 1.0 && !(s.inside != 0.0 && aim.inside) && !t.single) {
      double far = 0.0, gone = 0.0;
      for (int a = 0; a < t.axes; ++a) {
        const double by = t.line ? t.scale[0] : t.scale[a], off = by * (aim.point[a] - s.aim_point[a]), own = by * (there[a] - s.point[a]);
        far += off * off, gone += own * own;
      }
      if (sqrt(far) > LEAP + 2.0 * sqrt(gone)) return -1;  // over a gap, where weights fade
    }
    const double asked = load_of(t, set, s, mixed, spot, played(s.harmonics, set), parts.dofs, there_dofs, over, dt);
    if (asked > TOO_MUCH) high = share;
    else if (share == 1.0 || asked > ENOUGH) break;
    else low = share;
    share = low + (high - low) * (low != 0.0 ? 0.5 : within(1.0 / asked, 0.05, steep));
    steep = 0.2;
  }
  if (triggered(r, spot)) return -1;
  if (count >= 0.0 && count >= t.rows - 1 && (set.harmonics < 0.0 || set.harmonics >= t.rows - 1)) count = -1.0;
  next.harmonics = count;
  memcpy(next.point, there, sizeof there), memcpy(next.velocity, ahead.velocity, sizeof next.velocity);
  next.simplex = aim.simplex, next.inside = aim.inside, next.n_aim = aim.n;
  for (int i = 0; i < aim.n; ++i) next.aim[i] = aim.node[i], next.aim_weight[i] = aim.weight[i];
  memcpy(next.aim_point, aim.point, sizeof next.aim_point);
  // The root makes way so that planted feet stay while one cycle gives way to another.
  C before[4], wanted = {};
  const Moment& old = moment_of(r.gait, *parts.known, s.phase);
  for (int p = 0; p < 4; ++p) before[p] = old.value[p];
  memcpy(parts.mixed, parts.scratch, sizeof(double) * 2 * t.rows * t.stride);
  mixed.rows = parts.mixed, parts.known->n = 0;
  make_gait(t, set, mixed, r.gait);
  keep_spot(r, spot);
  double bearing[4], total = 0.0;
  bearing_at(r.gait, s.phase, bearing);
  for (int p = 0; p < 4; ++p) total += bearing[p];
  if (total >= 1e-6 && dt > 0.0) {
    const Moment& now = moment_of(r.gait, *parts.known, s.phase);
    for (int p = 0; p < 4; ++p) wanted = wanted + bearing[p] * (before[p] - now.value[p]);
    wanted = (1.0 / most(total, 1.0)) * wanted;
    wanted = (1.0 / hypot(1.0, size(wanted) / (set.root_shift_speed * dt))) * wanted;
    put(next.owed, pair(next.owed) + turned(s.yaw) * wanted);
  }
  s = next;
  return 1;
}

// The root advances.
void advance(const PlayerTables& t, const PlayerSettings& set, PlayerRecord& r, const Parts& parts, double dt) {
  PlayerState& s = r.state;
  const double phase = s.phase + r.gait.rate * dt;
  const Moment before = moment_of(r.gait, *parts.known, s.phase), after = moment_of(r.gait, *parts.known, phase);
  const C step = turned(s.yaw - before.yaw) * (after.path - before.path);
  s.position[0] += step.im, s.position[1] += step.re;
  s.yaw = s.yaw + after.yaw - before.yaw;
  s.phase = wrapped(phase, TURN);
  const C owed = pair(s.owed);
  if (owed.re != 0.0 || owed.im != 0.0) {
    const C made = size(owed) < NOTHING ? owed : -expm1(-dt / set.root_shift_time) * owed;
    put(s.owed, owed - made);
    s.position[0] += made.im, s.position[1] += made.re;
  }
  for (int i = 0; i < t.own; ++i) s.clock[i] = wrapped(s.clock[i] + t.own_rate[i] * dt, TURN);
  s.time += dt;
}

// The pose, its feet where they stand.
void pose(const PlayerTables& t, const PlayerSettings& set, PlayerRecord& r, const Parts& parts, double dt) {
  PlayerState& s = r.state;
  double* dofs = parts.dofs;
  synthesise(blended(t, r.gait, parts.mixed), s.phase, dofs);
  C aside = {};
  double turn = 0.0;
  memset(r.over, 0, sizeof r.over);
  if (t.own) {
    lay_over(t, s, played(s.harmonics, set), spot_of(r.gait), parts.over);
    for (int d = 0; d < t.stride; ++d) dofs[d] += parts.over[d];
    memcpy(r.over, parts.over + t.stride, sizeof r.over);
    turn = r.over[2];
    if (set.feet != 1.0) aside = turned(s.yaw) * pair(r.over);
  }
  for (int j = 0; j < t.joints; ++j) {
    const double *q = dofs + 4 * j, far = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double* out = parts.rotations + 4 * j;
    for (int c = 0; c < 4; ++c) out[c] = far > 0.0 ? q[c] / far : c == 0;
  }
  const double height = dofs[dofs_of(t) - 4] + lift_of(r.gait, s.phase), heading = s.yaw + turn;
  double* own = parts.rotations;
  const Q root_turn = Q{cos(0.5 * heading), 0.0, sin(0.5 * heading), 0.0} * Q{own[0], own[1], own[2], own[3]};
  own[0] = root_turn.w, own[1] = root_turn.x, own[2] = root_turn.y, own[3] = root_turn.z;
  if (set.feet == 1.0) anchor_body(t, r.gait, s, root_turn, parts.rotations);
  r.root[0] = s.position[0] + aside.im, r.root[1] = height, r.root[2] = s.position[1] + aside.re;
  if (set.feet == 0.0) hold_feet(t, set, r.gait, *parts.known, s, vec(r.root), root_turn, parts.rotations, dt);
  for (int p = 0; p < 4; ++p) {
    bool down = false;
    for (int i = 0; i < (int)r.gait.n_plants[p]; ++i) {
      const PlayerPlant& plant = r.gait.plant[p][i];
      const double since = since_of(plant, s.phase);
      down = down || (plant.firmness > FIRM && 0.0 <= since && since < plant.length);
    }
    r.planted[p] = down && (s.begun == 0.0 || (s.hold[p] > FIRM && s.standing[p / 2] == 1.0));
  }
}

// Arguments.

bool whole(double x, int low, int high) { return x >= low && x <= high && x == floor(x); }

int wrong_state(const PlayerTables& t, const PlayerRecord& r) {
  const PlayerState& s = r.state;
  const double* numbers = (const double*)&s;
  for (unsigned i = 0; i < sizeof s / sizeof(double); ++i)
    if (!(fabs(numbers[i]) <= 1e12)) return -11;
  if (!(s.phase >= 0.0 && s.phase <= TURN) || !whole(s.simplex, 0, t.simplices - 1) || !whole(s.n_aim, 1, 4)) return -12;
  if (!whole(s.n_fade, 0, PLAYER_FADING) || !whole(s.anchor, -1, 3) || !whole(r.n_triggers, 0, PLAYER_TRIGGERS)) return -13;
  for (int i = 0; i < (int)s.n_aim; ++i)
    if (!whole(s.aim[i], 0, t.nodes - 1)) return -14;
  for (int i = 0; i < (int)s.n_fade; ++i)
    if (!whole(s.fade[i], 0, t.nodes - 1)) return -15;
  return 0;
}

int wrong_gait(const PlayerTables& t, const PlayerGait& g) {
  if (g.ready == 0.0) return 0;
  if (!whole(g.rows, 1, t.rows) || !whole(g.n_spot, 1, PLAYER_NODES) || !(g.rate > 0.0 && g.rate < 1e9)) return -16;
  for (int i = 0; i < (int)g.n_spot; ++i)
    if (!whole(g.spot[i], 0, t.nodes - 1)) return -17;
  for (int p = 0; p < 4; ++p)
    if (!whole(g.n_plants[p], 0, PLAYER_ARCS)) return -18;
  return 0;
}

int wrong(const PlayerTables* tables, const PlayerSettings* set, const PlayerRecord* record) {
  if (!tables || !set || !record || record->opened != tables || record->bytes != room_of(*tables)) return -10;
  if (set->feet != 2.0 && !tables->legs) return -19;
  const double* numbers = (const double*)set;
  for (unsigned i = 0; i < sizeof *set / sizeof(double); ++i)
    if (numbers[i] != numbers[i]) return -20;
  const int bad = wrong_state(*tables, *record);
  return bad ? bad : wrong_gait(*tables, record->gait);
}
}  // namespace

API int player_check(const PlayerTables* tables) {
  if (!tables || tables->abi != PLAYER_ABI) return -1;
  const PlayerTables& t = *tables;
  if (t.joints < 1 || t.joints > PLAYER_JOINTS || t.rows < 1 || t.rows > PLAYER_ROWS || t.nodes < 1 || t.nodes > 1 << 20) return -2;
  if (t.stride < dofs_of(t) || t.stride > dofs_of(t) + 8 || t.stride % 8 || t.first < 1 || t.needed < 0 || t.needed > PLAYER_ROWS) return -3;
  if (t.first < t.rows && t.needed != t.rows - t.first) return -3;
  if (t.axes < 1 || t.axes > PLAYER_AXES || t.mesh_axes < 1 || t.mesh_axes > t.axes || t.simplices < 1 || t.simplices > 1 << 22) return -4;
  if (t.corners < 1 || t.corners > 4 || (!t.single && t.corners != t.mesh_axes + 1) || (t.line && t.mesh_axes != 1)) return -4;
  if (t.border < 0 || t.border > 1 << 22 || t.plants < 0 || t.plants > 4 * PLAYER_ARCS || t.own < 0 || t.own > PLAYER_OWN) return -5;
  const long long edges = t.mesh_axes > 2 ? 0 : (long long)t.border * 2 * t.mesh_axes;
  const long long wanted[17] = {2LL * t.nodes * t.rows * t.stride, (long long)t.nodes * (1 + t.needed), (long long)t.nodes * (1 + 2 * t.plants), t.stride, 4,
      (long long)t.simplices * t.corners * (1 + t.mesh_axes), (long long)t.nodes * t.axes, edges, t.mesh_axes, 2 * t.axes + 1,
      2LL * t.own * (t.rows - 1) * (t.stride + 8), t.own, (long long)t.simplices * t.corners, (long long)t.simplices * t.corners, t.border, t.plants, t.own};
  const void* given[17] = {t.coefficients, t.late, t.timing, t.free, t.gap, t.map, t.point, t.edge, t.scale, t.along, t.swing, t.own_rate, t.corner, t.neighbour,
      t.border_simplex, t.plant_point, t.own_node};
  for (int i = 0; i < 17; ++i)
    if (t.size[i] < wanted[i] || (wanted[i] && !given[i])) return -6;
  int per_point[4] = {};
  for (int i = 0; i < t.plants; ++i) {
    if (t.plant_point[i] < 0 || t.plant_point[i] > 3) return -7;
    if (++per_point[t.plant_point[i]] > PLAYER_ARCS) return -7;
  }
  for (long long i = 0; i < (long long)t.simplices * t.corners; ++i)
    if (t.corner[i] < 0 || t.corner[i] >= t.nodes || t.neighbour[i] < -1 || t.neighbour[i] >= t.simplices) return -8;
  for (int i = 0; i < t.border; ++i)
    if (t.border_simplex[i] < 0 || t.border_simplex[i] >= t.simplices) return -8;
  for (int i = 0; i < t.own; ++i)
    if (t.own_node[i] < 0 || t.own_node[i] >= t.nodes) return -8;
  for (int side = 0; t.legs && side < 2; ++side) {
    const PlayerLeg& leg = t.leg[side];
    if (leg.n < 2 || leg.n > PLAYER_CHAIN || leg.hip < 0 || leg.knee <= leg.hip || leg.knee > leg.n - 2 || leg.toe >= t.joints) return -9;
    for (int i = 0; i < leg.n; ++i)
      if (leg.joint[i] < 0 || leg.joint[i] >= t.joints) return -9;
  }
  return 0;
}

API long long player_room(const PlayerTables* tables) {
  const int bad = player_check(tables);
  return bad ? bad : room_of(*tables);
}

API int player_open(const PlayerTables* tables, PlayerRecord* record, long long bytes) {
  const int bad = player_check(tables);
  if (bad) return bad;
  if (!record || bytes != room_of(*tables)) return -10;
  memset((void*)record, 0, bytes);
  record->bytes = bytes, record->opened = tables;
  return 0;
}

API int player_ready(const PlayerTables* tables, const PlayerSettings* settings, PlayerRecord* record) {
  const int bad = wrong(tables, settings, record);
  return bad ? bad : make_ready(*tables, *settings, *record, parts_of(*tables, *record));
}

API int player_step(const PlayerTables* tables, const PlayerSettings* settings, PlayerRecord* record, double dt) {
  const int bad = wrong(tables, settings, record);
  if (bad) return bad;
  if (!(dt >= 0.0 && dt <= 1e9)) return 1;
  const PlayerTables& t = *tables;
  const Parts parts = parts_of(t, *record);
  if (make_ready(t, *settings, *record, parts)) return 1;
  if (!(record->gait.rate * dt < 1e9)) return 1;
  if (triggered(*record, spot_of(record->gait)) || move_point(t, *settings, *record, parts, dt) < 0) return 1;
  advance(t, *settings, *record, parts, dt);
  pose(t, *settings, *record, parts, dt);
  return 0;
}

API int player_send(const PlayerTables* tables, PlayerRecord* record, double x, double y) {
  if (!tables || !record || record->opened != tables || wrong_state(*tables, *record)) return -10;
  const PlayerTables& t = *tables;
  if (t.axes != 2 || t.single || t.line || !t.clamp) return 1;
  const double at[PLAYER_AXES] = {x, y, 0.0};
  double weights[4];
  if (!(fabs(x) <= 1e9 && fabs(y) <= 1e9) || find(t, at, (int)record->state.simplex, weights) < 0) return 1;
  record->state.goal[0] = x, record->state.goal[1] = y;
  return 0;
}

API int player_course(const PlayerTables* tables, PlayerRecord* record, double course[4]) {
  if (!tables || !record || !course || record->opened != tables || wrong_state(*tables, *record)) return -10;
  if (record->gait.ready == 0.0) return 1;
  if (wrong_gait(*tables, record->gait)) return -16;
  const PlayerGait& g = record->gait;
  const PlayerState& s = record->state;
  Moments& known = *parts_of(*tables, *record).known;
  const double start = moment_of(g, known, 0.0).value[YAW].re;
  const Moment& here = moment_of(g, known, s.phase);
  const C mean = {g.table[0][0][PATH], g.table[0][1][PATH]}, sway = turned(g.even * s.phase) * (here.value[PATH] - mean);
  const C off = turned(s.yaw - here.yaw) * sway, going = pair(g.velocity) * turned(start);
  course[0] = s.position[0] - off.im, course[1] = s.position[1] - off.re;
  course[2] = s.yaw - here.value[YAW].re + atan2(going.im, going.re + most(0.0, STANDING - size(going)));
  course[3] = size(going);
  return 0;
}

API long long player_sizes(int which) {
  const long long sizes[] = {sizeof(PlayerSettings), sizeof(PlayerLeg), sizeof(PlayerTables), sizeof(PlayerGait), sizeof(PlayerState), sizeof(PlayerRecord), PLAYER_ABI};
  return which >= 0 && which < 7 ? sizes[which] : -1;
}
