// ---------------------------------------------------------------- gaits
struct Cell { const float4 *g0, *g1, *g2; float s0, s1, s2; };
D float4 numbers(const Cell& c, int k) {
  const float4 a = c.g0[k], b = c.g1[k], d = c.g2[k];
  return make_float4(c.s0 * a.x + c.s1 * b.x + c.s2 * d.x, c.s0 * a.y + c.s1 * b.y + c.s2 * d.y, c.s0 * a.z + c.s1 * b.z + c.s2 * d.z, c.s0 * a.w + c.s1 * b.w + c.s2 * d.w);
}
D Cell cell_of(const float4* gait, float w1, float w2) {
  float b = w2 * PARTS, a = fmaxf((w1 + w2) * PARTS, b);
  const int i = min((int)a, PARTS - 1), j = min((int)b, i);
  a = fminf(a - i, 1.f);
  b = fminf(b - j, 1.f);
  const bool upper = a >= b || i == j;
  const int base = i * (i + 1) / 2 + j, last = (i + 1) * (i + 2) / 2 + j + 1, middle = upper ? last - 1 : base + 1;
  const float small = upper ? fminf(a, b) : a, large = upper ? a : b;
  return {gait + base * ROW, gait + middle * ROW, gait + last * ROW, 1.f - large, large - small, small};
}
// float4s of a row: 6 of the whole; of every plant 4 of a left heel, 3 of a left toe, 4 of a right heel, 3 of a right toe
D int plant_at(int point, int slot) { return 6 + 14 * slot + 7 * (point >> 1) + 4 * (point & 1); }

// ---------------------------------------------------------------- foot plants
struct Clock { float dt, phase, rate, turn, c, s; };
struct Plant { float start, length, approach, release, begin[2], end[2], low, sole[5], since, hold, firm; };
D bool inside_of(const Plant& p) { return p.since >= 0.f && p.since < p.length; }
D bool full_of(const Plant& p) { return p.length >= FULL; }
D float brake_of(const Plant& p) {
  const float u = fmaxf(1.f + p.since / p.approach, 0.f), after = p.since - p.length, f = fmaxf(1.f - after / p.release, 0.f);
  return p.firm * (p.since < 0.f ? p.since * u * u : after > 0.f ? after * f * f : 0.f);
}
D float press_of(const Plant& p) {
  const float left = (p.length - p.since) / (FOOT_ROLL * fmaxf(p.length, 1e-6f));
  return p.since < 0.f || full_of(p) ? p.hold : p.firm * eased(left);
}
D float since_start(float phase, float start) {
  const float s = phase - start;
  return s - TAU * floorf(s * PER_TAU);
}
// bears: how much the point bears the body, 0 … 1
D Plant plant_of(const Cell& cell, int point, float phase, float rate, bool placed, float& bears) {
  Plant best;
  bears = 0.f;
#pragma unroll
  for (int slot = 0; slot < PLANTS; ++slot) {
    const int at = plant_at(point, slot);
    const float4 a = numbers(cell, at), b = numbers(cell, at + 1), c = numbers(cell, at + 2);
    Plant p;
    p.start = a.x; p.length = a.y; p.approach = a.z; p.release = a.w;
    p.begin[0] = b.x; p.begin[1] = b.y; p.end[0] = b.z; p.end[1] = b.w;
    p.low = c.x;
    p.sole[0] = p.sole[1] = p.sole[2] = p.sole[3] = p.sole[4] = 0.f;
    if ((point & 1) == 0) {
      const float4 d = numbers(cell, at + 3);
      p.sole[0] = c.y; p.sole[1] = c.z; p.sole[2] = c.w; p.sole[3] = d.x; p.sole[4] = d.y;
    }
    const float s = since_start(phase, p.start);
    p.since = s < TAU - p.approach || s < p.length ? s : s - TAU;
    p.firm = eased(2.f * p.length / (SHORTEST_PLANT * rate) - 1.f);
    const float before = fmaxf(1.f + p.since / p.approach, 0.f), after = fmaxf(1.f - (p.since - p.length) / p.release, 0.f);
    p.hold = p.firm * (p.since < 0.f ? smooth(before) : p.since < p.length ? 1.f : smooth(after));
    p.hold = p.since < p.length || placed ? p.hold : 0.f;
    const float over = fmaxf(fminf(HAND_OVER * rate, SWING_SHARE * p.length), 1e-6f), ramp = eased(fminf(s, p.length - s) / over);
    bears = fmaxf(bears, p.firm * (full_of(p) ? 1.f : ramp));
    if (slot == 0 || p.hold > best.hold) best = p;
  }
  return best;
}
D float hyp(float a, float b) { return sqrtf(a * a + b * b); }

struct Held { float x, z, hold; bool inside, firm; };
D Held hold_point(const Plant& p, const Clock& t, float at_x, float at_z, float& px, float& pz, int& mark, bool begun, float last, float ox, float oz, bool other_stands, float apart) {
  const bool found = p.hold > 0.f, full = full_of(p), was_leaving = mark == LEAVING, was_placed = mark == PLACED;
  const bool inside = found && inside_of(p) && !(was_leaving && p.since >= .5f * p.length && !full);
  const bool early = found && p.since < 0.f, after = found && p.since >= p.length;
  const float gone = after ? p.since - p.length : p.since, angle = -t.turn * gone, ca = 1.f - .5f * angle * angle;
  const float c = t.c * ca - t.s * angle, s = t.s * ca + t.c * angle;
  const float a = after ? p.end[0] : p.begin[0], l = after ? p.end[1] : p.begin[1], vx = s * a + c * l, vz = c * a - s * l;
  const float slope = 1.5f * p.firm / (p.since < .5f * p.length ? p.approach : p.release);
  float quick = found ? fminf(fmaxf(slope * t.rate, HOLD_RATE), STEEPEST_HOLD_RATE) * t.dt : HOLD_RATE * t.dt;
  quick = begun ? quick : 2.f;
  const float fading = was_leaving ? fmaxf(last - quick, 0.f) : 0.f, back = full ? 0.f : fminf(p.since, t.rate * t.dt);
  if (inside && !was_placed) {
    float nx = at_x - back * vx + fading * px, nz = at_z - back * vz + fading * pz;
    if (other_stands) {
      const float gx = nx - ox, gz = nz - oz, reach = apart / fmaxf(hyp(gx, gz), 1e-6f);
      nx = ox + reach * gx;
      nz = oz + reach * gz;
    }
    px = nx;
    pz = nz;
  }
  const bool leaving = !inside && !early && was_placed;
  const float late = after ? gone : 0.f;
  if (leaving) { px = px - at_x + late * vx; pz = pz - at_z + late * vz; }
  const float fx = at_x - p.since * vx, fz = at_z - p.since * vz;
  const bool kept = early && was_placed && hyp(px - fx, pz - fz) <= RELEASE_FROM;
  const float brake = brake_of(p), bx = brake * vx, bz = brake * vz, wanted = found ? p.hold : 0.f;
  const bool is_leaving = leaving || (!inside && was_leaving);
  float down = fmaxf(after ? fminf(wanted, last) : 0.f, last - quick);
  down = fmaxf(begun ? down : wanted, 0.f);
  const float up = fminf(wanted, last + quick), share = up / fmaxf(wanted, 1e-6f);
  Held h;
  h.hold = is_leaving ? (early ? fmaxf(down, up) : down) : inside || early ? up : 0.f;
  h.x = inside ? up * (px - at_x) : 0.f;
  h.z = inside ? up * (pz - at_z) : 0.f;
  if (early) {
    h.x = share * ((kept ? p.hold * (px - fx) : 0.f) - bx);
    h.z = share * ((kept ? p.hold * (pz - fz) : 0.f) - bz);
  }
  if (is_leaving) {
    h.x += down * px - (after ? bx : 0.f);
    h.z += down * pz - (after ? bz : 0.f);
  }
  mark = inside || kept ? PLACED : is_leaving && down > 0.f ? LEAVING : FREE;
  h.inside = inside;
  h.firm = inside && p.firm > FOOT_FIRM;
  return h;
}
D void sole_of(const Plant& heel, const Plant& toe, float tilt, float& stands, float& turned) {
  const bool heel_later = heel.since < toe.since;
  const float later = heel_later ? heel.since : toe.since, later_length = heel_later ? heel.length : toe.length;
  const float length = fminf(later_length, (heel_later ? toe.length : heel.length) - fabsf(heel.since - toe.since));
  const bool both = heel.hold > 0.f && toe.hold > 0.f && length > 0.f;
  const float x = fminf(fmaxf((tilt - heel.sole[0]) / ROCKING, -3.f), 3.f), q = x * x;
  const float during = (tilt - heel.sole[0] - ROCKING * (x * (27.f + q) / (27.f + 9.f * q))) * fminf(heel.firm, toe.firm);
  const bool same = later < 0.f || later_length <= length + 1e-6f, heel_last = same ? heel_later : !heel_later;
  const float hold = heel_last ? heel.hold : toe.hold, brake = heel_last ? brake_of(heel) : brake_of(toe);
  const float before = later < 0.f ? heel.sole[1] : heel.sole[3], slope = later < 0.f ? heel.sole[2] : heel.sole[4];
  stands = both ? heel.sole[0] : 0.f;
  turned = !both ? 0.f : later >= 0.f && later < length ? during : hold * before + brake * slope;
}
D float sink_of(const Plant* plants, float over, float rate) {
  float best = 0.f, longest = 0.f, sink = 0.f;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Plant& p = plants[i];
    const bool held = p.hold > 0.f;
    const float press = held ? press_of(p) : 0.f, landing = fminf(TOUCHDOWN * rate, TOUCHDOWN_SHARE * p.length);
    if (held && (press > best || (press == best && p.since > longest))) {
      const bool coming = p.since < landing && !full_of(p);
      sink = press * (coming ? p.low + eased(p.since / fmaxf(landing, 1e-6f)) * (over - p.low) : over);
      best = press;
      longest = p.since;
    }
  }
  return sink;
}

// ---------------------------------------------------------------- legs
struct Target { float hx, hz, tx, tz, heel_hold, toe_hold, sink, turned; };
D void goals_of(const Leg& g, V heel, V toe, const Target& t, V& heel_goal, V& toe_goal) {
  float hu = heel.y - g.heel_height - t.sink, tu = toe.y - g.toe_height - t.sink;
  const float lower = fminf(hu, tu), tilt = hu - tu - t.turned;
  const bool tilted = t.turned != 0.f;
  hu = fmaxf(tilted ? lower + fmaxf(tilt, 0.f) : hu, 0.f);
  tu = fmaxf(tilted ? lower - fminf(tilt, 0.f) : tu, 0.f);
  const float fh = 1.f - t.heel_hold, ft = 1.f - t.toe_hold;
  heel_goal = {heel.x + (t.hx + fh * t.tx), g.heel_height + hu, heel.z + (t.hz + fh * t.tz)};
  toe_goal = {toe.x + (t.tx + ft * t.hx), g.toe_height + tu, toe.z + (t.tz + ft * t.hz)};
}
struct Bent { Q swing, folded, foot; float height, ball; };  // ball: how high the ball of the foot is
D Bent bend(const Leg& g, V hip, V knee, V at, Q hip_turn, Q foot, V heel, V toe, const Target& t) {
  V hg, tg;
  goals_of(g, heel, toe, t, hg, tg);
  foot = between(toe - heel, tg - hg) * foot;
  const float fh = t.heel_hold / (1.f - t.heel_hold + 1e-6f), ft = t.toe_hold / (1.f - t.toe_hold + 1e-6f), sum = fh + ft;
  const float share = sum > 0.f ? ft / fmaxf(sum, 1e-12f) : .5f;
  V to_heel = turned(foot, g.heel), to_toe = turned(foot, g.toe);
  V ankle = (1.f - share) * (hg - to_heel) + share * (tg - to_toe);
  const bool by_toe = share >= .5f;
  {  // roll over a point of the foot so far that the leg need not stretch
    const V off = ankle - hip, pose = at - hip, pivot_at = pick(by_toe, to_toe, to_heel);
    const float now = len(pose), more = fmaxf(len(off) - now, 0.f);
    const V pivot = ankle + pivot_at, to_hip = hip - pivot;
    V axis = cross(to_hip, pivot_at);
    const float size = len(axis);
    if (more > 0.f && size > 1e-7f) {
      const float room = fmaxf(FOOT_STRAIGHTEST * g.length - now, 1e-5f), part = fminf(more / room, 1e4f);
      const float far = fminf(fminf(hyp(t.hx, t.hz), hyp(t.tx, t.tz)), FOOT_FAR) / FOOT_FAR;
      const float sharp = FOOT_SOFT + (FOOT_SHARP - FOOT_SOFT) * t.heel_hold * t.toe_hold * far;
      const float reach = now + more / powr(1.f + powr(part, sharp), 1.f / sharp);
      const float short2 = dot(pivot_at, pivot_at), far2 = dot(to_hip, to_hip), both = sqrtf(fmaxf(short2 * far2, 1e-14f));
      const float cn = -dot(pivot_at, to_hip) / both, sn = size / both;
      const float c = fminf(fmaxf((short2 + far2 - reach * reach) / (2.f * both), -1.f), 1.f), s = sqrtf(fmaxf(1.f - c * c, 0.f));
      float angle = angle_of(sn * c - cn * s, cn * c + sn * s);
      const float q = angle / FOOT_FURTHEST, q2 = q * q;
      angle = angle / powr(1.f + q2 * q2 * q2, 1.f / 6.f);
      float sa, ca;
      sincos_(.5f * angle, sa, ca);
      sa /= fmaxf(size, 1e-12f);
      const Q turn{ca, sa * axis.x, sa * axis.y, sa * axis.z};
      ankle = pivot - turned(turn, pivot_at);
      foot = turn * foot;
      to_heel = turned(turn, to_heel);
      to_toe = turned(turn, to_toe);
    }
  }
  const float miss = fminf(share, 1.f - share);
  const V missed = pick(by_toe, hg - to_heel, tg - to_toe) - ankle;
  ankle.x += miss * missed.x;
  ankle.z += miss * missed.z;
  // two bones
  const V thigh = knee - hip, shank = at - knee, wanted = ankle - hip;
  const float u2 = dot(thigh, thigh), l2 = dot(shank, shank), upper = sqrtf(u2), lower = sqrtf(l2), far = len(wanted);
  const float reach = fminf(fmaxf(far, fabsf(upper - lower) + 1e-6f), FOOT_STRAIGHTEST * (upper + lower));
  V hinge = turned(hip_turn, g.hinge);
  hinge = unit(hinge - (dot(hinge, thigh) / u2) * thigh);
  const V own = cross(thigh, shank);
  const float size = len(own), along = dot(thigh, shank);
  float bent_share = eased((angle_of(size, along) - FOOT_KNEE_STRAIGHT) / (FOOT_KNEE_BENT - FOOT_KNEE_STRAIGHT));
  bent_share = dot(hinge, own) > 0.f ? bent_share : 0.f;
  const V axis = unit((bent_share / fmaxf(size, 1e-9f)) * own + (1.f - bent_share) * hinge);
  const float across = dot(thigh, cross(axis, shank)), both = fmaxf(hyp(along, across), 1e-9f);
  const float c1 = fminf(fmaxf((reach * reach - u2 - l2) / (2.f * both), -1.f), 1.f), s1 = sqrtf(fmaxf(1.f - c1 * c1, 0.f));
  const float c0 = along / both, s0 = across / both;
  const Q bent = about(axis, c0 * c1 - s0 * s1, s0 * c1 + c0 * s1);
  Bent out;
  out.swing = between(thigh + turned(bent, shank), wanted);
  out.folded = out.swing * bent;
  out.foot = foot;
  const float high = far > reach ? (reach / fmaxf(far, 1e-9f) - 1.f) * wanted.y : 0.f;
  out.ball = ankle.y + to_toe.y;
  out.height = high + fminf(ankle.y + to_heel.y - g.heel_height, out.ball - g.toe_height);
  return out;
}
// toes that would go through the ground are bent up
D Q toes_of(const Leg& g, Q toes, Q foot, float ball) {
  const float size = g.tip_length, up = ball - g.toe_height;
  const V tip = turned(toes, g.tip), across = turned(foot, g.across);
  const float level = across.y * dot(across, tip), hi = tip.y - level, ahead = across.z * tip.x - across.x * tip.z;
  const float reach = fmaxf(hyp(hi, ahead), 1e-6f);
  float upright = angle_of(ahead, hi);
  upright = upright < -1.57079633f ? upright + TAU : upright;
  const float flat = acosf(fminf(fmaxf((g.tip_height - g.toe_height - level) / reach, -1.f), 1.f));
  float angle = upright - flat - FOOT_FOLLOW * fmaxf(up, 0.f) / size;
  const float past = fmaxf(angle + FOOT_TOES_SOFT, 0.f);
  angle = angle < FOOT_TOES_SOFT ? .25f * past * past / FOOT_TOES_SOFT : angle;
  const float share = eased((FOOT_FREE * size - up) / ((FOOT_FREE - 1.f) * size)) * eased((FOOT_FOLDED - upright) / FOOT_FOLDING);
  float s, c;
  sincos_(.5f * share * angle, s, c);
  return Q{c, s * across.x, s * across.y, s * across.z} * toes;
}

// What one foot does in a step: where it is asked to be, and what its points remember.
struct Feet { int marks, holds, planted; float strain; bool begun; int last; };
D Target ask(const Leg& g, const Plant* p, const Clock& t, int foot, V hip, V at, V heel, V toe, float4& kept, Feet& f, Held* h, bool& rolling) {
  if (t.dt > LONG_STEP) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (p[i].since < (t.dt - LONG_STEP) * t.rate && !full_of(p[i])) f.marks &= ~(3 << (2 * (2 * foot + i)));
  }
  const float over_heel = heel.y - g.heel_height, over_toe = toe.y - g.toe_height;
  float stands, turned_;
  sole_of(p[0], p[1], over_heel - over_toe, stands, turned_);
  const float rise = g.heel_height - g.toe_height, tilt = rise + stands;
  const float apart = sqrtf(fmaxf(g.flat_length * g.flat_length + rise * rise - tilt * tilt, 0.f));
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int q = 2 * foot + i, o = 2 * foot + 1 - i;
    const bool stays = ((f.marks >> (2 * o)) & 3) == PLACED && p[1 - i].since < p[1 - i].length && p[1 - i].hold > 0.f;
    int mark = (f.marks >> (2 * q)) & 3;
    const float last = ((f.last >> (8 * q)) & 255) * (1.f / 255.f);
    if (i == 0) h[0] = hold_point(p[0], t, heel.x, heel.z, kept.x, kept.y, mark, f.begun, last, kept.z, kept.w, stays, apart);
    else h[1] = hold_point(p[1], t, toe.x, toe.z, kept.z, kept.w, mark, f.begun, last, kept.x, kept.y, stays, apart);
    f.marks = (f.marks & ~(3 << (2 * q))) | (mark << (2 * q));
  }
  const float sink = sink_of(p, fminf(over_heel, over_toe), t.rate);
  V hg, tg;
  goals_of(g, heel, toe, {h[0].x, h[0].z, h[1].x, h[1].z, 1.f, 1.f, sink, turned_}, hg, tg);
  const V moved = (1.f - g.ankle_share) * (hg - heel) + g.ankle_share * (tg - toe);
  const float shorter = len(at + moved - hip) - FOOT_STRAIGHTEST * g.length;
  const float down = h[0].inside && h[1].inside ? 1.f - eased(shorter / FOOT_TOO_SHORT) : 1.f;
  h[0].x *= down; h[0].z *= down; h[0].hold *= down;
  float part = 1.f;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float far = hyp(h[i].x, h[i].z);
    part = fminf(part, eased((RELEASE_AT - far) / (RELEASE_AT - RELEASE_FROM)));
    f.strain = fmaxf(f.strain, h[i].inside ? far : 0.f);
    f.holds |= (int)rintf(__saturatef(h[i].hold) * 255.f) << (8 * (2 * foot + i));
  }
  rolling = !((h[0].inside && !(p[0].since > (1.f - FOOT_ROLL) * p[0].length)) || (h[1].inside && !(p[1].since > (1.f - FOOT_ROLL) * p[1].length)));
  const float hh = h[0].inside ? h[0].hold : fminf(h[0].hold, FOOT_FIRM), th = h[1].inside ? h[1].hold : fminf(h[1].hold, FOOT_FIRM);
  return {part * h[0].x, part * h[0].z, part * h[1].x, part * h[1].z, part * hh, part * th, sink, part * turned_};
}
D void note_standing(Feet& f, int foot, const Held* h, bool rolling, float lifted) {
  const int at = STANDING + 2 * foot, was = f.begun ? (f.marks >> at) & 3 : DOWN;
  int now = was == COMING && lifted <= DOWN_AT ? DOWN : was;
  now = was == DOWN && rolling && lifted > DOWN_AT ? ROLLING : now;
  now = !(h[0].inside || h[1].inside) || (was == DOWN && lifted > LIFTED_AT && !rolling) ? COMING : now;
  f.marks = (f.marks & ~(3 << at)) | (now << at);
#pragma unroll
  for (int i = 0; i < 2; ++i) f.planted |= (h[i].firm && now == DOWN && h[i].hold > FOOT_FIRM ? 1 : 0) << (2 * foot + i);
}

