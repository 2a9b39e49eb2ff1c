// Foot plants of a cycle: which part of each is real rest, and how its hold sets in and out (mocapella/gait/resting.py).
#include "motion.h"

namespace {
using namespace foot;
const double PER_RADIAN = SAMPLES / TURN;

// Heights evenly over the cycle, asked for over three rounds of it; a place lies between samples.
struct Heights {
  const double* own;
  double operator[](int i) const { return own[i & (SAMPLES - 1)]; }
  double at(double place) const {
    const int low = (int)place;
    const double here = (*this)[low];
    return here + (place - low) * ((*this)[low + 1] - here);
  }
  bool stays_below(double start, double end, double highest) const {
    const int first = (int)start, last = (int)end;
    for (int i = first + 1; i <= last; ++i)
      if ((*this)[i] > highest) return false;
    return most((*this)[first], (*this)[last + 1]) <= highest || (at(start) <= highest && at(end) <= highest);
  }
  double until(double middle, double stand, double half, int way, double highest) const {
    const int first = way > 0 ? (int)floor(middle) + 1 : (int)ceil(middle) - 1;
    double gone = (first - middle) * way, before_at = 0.0, before = stand;
    const int count = (int)ceil(half - gone);
    for (int i = 0; i < count; ++i, gone += 1.0) {
      const double height = (*this)[first + i * way];
      if (height > highest) return before_at + (gone - before_at) * (highest - before) / (height - before);
      before_at = gone, before = height;
    }
    const double end = at(middle + way * half);
    return end <= highest ? half : before_at + (half - before_at) * (highest - before) / (end - before);
  }
};

double firmness(double length, double shortest) {
  return length >= shortest ? 1.0 : smoothstep(2.0 * length / shortest - 1.0);
}

void rest(Arcs& arcs, Heights h, double ground) {
  double middle[PLAYER_ARCS], stand[PLAYER_ARCS];
  if (arcs.n == 1) {
    const double half = 0.5 * arcs.own[0].length * PER_RADIAN;
    const double at = SAMPLES + wrapped(arcs.own[0].start * PER_RADIAN + half, SAMPLES);
    const double risen = h.at(at) + RISEN;
    double highest = -INFINITY;
    for (int i = (int)(at - half); i < (int)(at + half) + 2; ++i) highest = most(highest, h[i]);
    if (highest <= risen + LANDING && (highest <= risen || highest <= ground + CLEAR)) return;
  }
  double falling = 0.0, highest = 0.0, longest = -1.0;
  for (int i = 0; i < arcs.n; ++i) {
    const double start = arcs.own[i].start, length = arcs.own[i].length;
    middle[i] = SAMPLES + wrapped((start + 0.5 * length) * PER_RADIAN, SAMPLES);
    stand[i] = h.at(middle[i]);
    if (length > longest) falling = stand[i] + RISEN + LANDING, highest = most(stand[i] + RISEN, ground + CLEAR), longest = length;
  }
  Arcs out = {};
  for (int i = 0; i < arcs.n; ++i) {
    const double length = arcs.own[i].length;
    if (length >= TURN) out.own[out.n++] = arcs.own[i];
    else if (stand[i] <= highest) {
      const double half = 0.5 * length * PER_RADIAN, falls = most(stand[i], falling);
      if (h.stays_below(middle[i] - half, middle[i] + half, least(falls, highest))) {
        out.own[out.n++] = arcs.own[i];
        continue;
      }
      const double before = h.until(middle[i], stand[i], half, -1, falls);
      const double after = h.until(middle[i], stand[i], half, 1, highest);
      out.own[out.n++] = {wrapped((middle[i] - before) / PER_RADIAN, TURN), (before + after) / PER_RADIAN};
    }
  }
  arcs = out;
}

void level(Arcs& arcs, const Arcs& others, Heights tilts) {
  for (int i = 0; i < arcs.n; ++i) {
    const double start = arcs.own[i].start, length = arcs.own[i].length;
    if (length >= TURN) continue;
    const double half = 0.5 * length, samples = half * PER_RADIAN;
    const double middle = SAMPLES + wrapped((start + half) * PER_RADIAN, SAMPLES);
    const double tilt = tilts.at(middle), steepest = most(tilt, 0.0) + TILTED;
    if (tilt <= LOW && tilts.stays_below(middle - samples, middle + samples, steepest)) continue;
    double before = half, after = half;
    for (int k = 0; k < others.n; ++k) {
      const double begin = others.own[k].start, span = others.own[k].length;
      const double since = wrapped(start - begin, TURN), left = wrapped(start + length - begin, TURN);
      if (since <= span) before = most(tilts.until(middle, tilt, samples, -1, steepest) / PER_RADIAN, since + half - span);
      if (left <= span) after = most(tilts.until(middle, tilt, samples, 1, steepest) / PER_RADIAN, half - left);
      if (tilt > LOW && since + length <= span && length < 0.5 * TURN) {
        const double part = smoothstep(most(0.0, (HIGH - tilt) / (HIGH - LOW)));
        before *= part, after *= part;
      }
    }
    arcs.own[i] = {wrapped(start + half - before, TURN), before + after};
  }
}

double up_after(Heights h, const double* swivel, double here, double most_samples) {
  const int low = (int)here;
  double before = 0.0, at = low - here;
  for (int sample = low; sample <= (int)ceil(here + most_samples); ++sample) {
    const double up = most(h[sample] / RISEN, fabs(swivel[sample & (SAMPLES - 1)]) / SWIVEL);
    if (sample == low + 1 && before + (here - low) * (up - before) >= 1.0) return 0.0;
    if (sample > low && up > 1.0) return least(at + (1.0 - before) / (up - before), most_samples);
    before = up, at = sample - here;
  }
  return most_samples;
}

void until_up(Arcs& heels, const Arcs& toes, Heights h, const double* swivel) {
  for (int i = 0; i < heels.n; ++i) {
    const double end = heels.own[i].start + heels.own[i].length;
    if (h[(int)(end * PER_RADIAN + SOONER)] > RISEN) continue;
    double room = toes.n ? -INFINITY : 0.0;
    for (int k = 0; k < toes.n; ++k) room = most(room, toes.own[k].length - wrapped(end - toes.own[k].start, TURN));
    room = least(room, TURN - heels.own[i].length);
    if (room > 0.0)
      heels.own[i].length += most(0.0, up_after(h, swivel, end * PER_RADIAN, room * PER_RADIAN) - SOONER) / PER_RADIAN;
  }
}

Arcs apart(Arcs arcs, double per_second, const PlayerSettings& set) {
  const double shortest = 0.5 * set.shortest_plant * per_second;
  if (arcs.n != 1) merge_arcs(arcs, set.nearest_plants * per_second);
  Arcs out = {};
  for (int i = 0; i < arcs.n; ++i)
    if (arcs.own[i].length > shortest) out.own[out.n++] = arcs.own[i];
  return out;
}
}  // namespace

void sort_arcs(Arcs& arcs) {
  for (int i = 1; i < arcs.n; ++i)
    for (int k = i; k > 0; --k) {
      auto &a = arcs.own[k - 1], &b = arcs.own[k];
      if (a.start < b.start || (a.start == b.start && a.length <= b.length)) break;
      const auto kept = a;
      a = b, b = kept;
    }
}

void merge_arcs(Arcs& arcs, double gap) {
  sort_arcs(arcs);
  Arcs out = {};
  for (int i = 0; i < arcs.n; ++i) {
    const auto arc = arcs.own[i];
    if (out.n && arc.start <= out.own[out.n - 1].start + out.own[out.n - 1].length + gap) {
      auto& last = out.own[out.n - 1];
      last.length = most(last.length, arc.start + arc.length - last.start);
    } else out.own[out.n++] = arc;
  }
  while (out.n > 1 && out.own[out.n - 1].start + out.own[out.n - 1].length >= TURN + out.own[0].start - gap) {
    const auto first = out.own[0];
    --out.n;
    memmove(out.own, out.own + 1, out.n * sizeof out.own[0]);
    auto& last = out.own[out.n - 1];
    last.length = most(last.length, TURN + first.start + first.length - last.start);
  }
  for (int i = 0; i < out.n; ++i) out.own[i].length = least(out.own[i].length, TURN);
  arcs = out;
}

void resting_arcs(Arcs arcs[4], const double heights[4][SAMPLES], double ground) {
  for (int p = 0; p < 4; ++p) rest(arcs[p], {heights[p]}, ground);
}

void until_heels_rise(Arcs arcs[4], const double heights[4][SAMPLES], const double swivels[2][SAMPLES]) {
  for (int foot = 0; foot < 2; ++foot) until_up(arcs[2 * foot], arcs[2 * foot + 1], {heights[2 * foot]}, swivels[foot]);
}

void level_arcs(Arcs arcs[4], const double heights[4][SAMPLES]) {
  for (int heel = 0; heel < 4; heel += 2) {
    double tilts[SAMPLES], other[SAMPLES];
    for (int s = 0; s < SAMPLES; ++s) tilts[s] = heights[heel][s] - heights[heel + 1][s], other[s] = -tilts[s];
    level(arcs[heel], arcs[heel + 1], {tilts});
    level(arcs[heel + 1], arcs[heel], {other});
  }
}

void bearings_of(const Arcs arcs[4], double duration, const PlayerSettings& set, double out[SAMPLES][4]) {
  const double per_second = TURN / duration;
  memset(out, 0, sizeof(double) * 4 * SAMPLES);
  for (int p = 0; p < 4; ++p) {
    const Arcs own = apart(arcs[p], per_second, set);
    for (int i = 0; i < own.n; ++i) {
      const double length = own.own[i].length, middle = wrapped(own.own[i].start + 0.5 * length, TURN);
      const double end = 0.5 * (length - TURN);
      const double hand_over = most(least(set.hand_over * per_second, set.swing_share * length), 1e-9);
      const double firm = firmness(length, set.shortest_plant * per_second);
      for (int s = 0; s < SAMPLES; ++s) {
        const double ramp = within((fabs(fabs(s * (TURN / SAMPLES) - middle) - 0.5 * TURN) + end) / hand_over, 0.0, 1.0);
        out[s][p] += (ramp * (-2.0 * firm) + 3.0 * firm) * (ramp * ramp);
      }
    }
  }
}

void plants_of(const Arcs arcs[4], double duration, const PlayerSettings& set, PlayerGait& gait) {
  const double per_second = TURN / duration;
  for (int p = 0; p < 4; ++p) {
    const Arcs own = apart(arcs[p], per_second, set);
    gait.n_plants[p] = own.n;
    for (int i = 0; i < own.n; ++i) {
      const double start = own.own[i].start, length = own.own[i].length;
      double gap_after = TURN - length, gap_before = gap_after;
      if (own.n > 1 && length < TURN) {
        const auto before = own.own[i ? i - 1 : own.n - 1], after = own.own[(i + 1) % own.n];
        gap_after = wrapped(after.start - start - length, TURN);
        gap_before = wrapped(start - before.start - before.length, TURN);
      }
      gait.plant[p][i] = {start, length, most(least(set.approach * per_second, set.swing_share * gap_before), 1e-9),
                          most(least(set.release * per_second, set.swing_share * gap_after), 1e-9),
                          firmness(length, set.shortest_plant * per_second)};
    }
  }
}
