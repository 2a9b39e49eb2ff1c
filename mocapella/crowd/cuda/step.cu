// ---------------------------------------------------------------- variety
D unsigned hashed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
D Q noisy(Q q, unsigned id, int channel, float noise, int beat, float beat_part) {
  float r[3];
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    const unsigned h = hashed(id * 0x9E3779B1u + (unsigned)(3 * channel + a) * 0x85EBCA77u);
    float time = beat_part + (float)(h >> 8) * 5.9604644775390625e-8f;
    const unsigned carry = time >= 1.f ? 1u : 0u;
    time -= (float)carry;
    const unsigned at = ((unsigned)beat + carry) * 0xC2B2AE3Du + h;
    const float g0 = (float)(int)hashed(at) * 4.656612873077393e-10f, g1 = (float)(int)hashed(at + 0xC2B2AE3Du) * 4.656612873077393e-10f;
    const float fade = time * time * time * (time * (time * 6.f - 15.f) + 10.f), low = g0 * time, high = g1 * (time - 1.f);
    r[a] = .5f * noise * ((low + fade * (high - low)) * 1.14f);
  }
  return {q.w - (q.x * r[0] + q.y * r[1] + q.z * r[2]), q.x + q.w * r[0] + q.y * r[2] - q.z * r[1], q.y + q.w * r[1] + q.z * r[0] - q.x * r[2], q.z + q.w * r[2] + q.x * r[1] - q.y * r[0]};
}

// ---------------------------------------------------------------- out
#if HALF
typedef uint2 Out;
D Out row_of(float a, float b, float c, float d) { return make_uint2(halves(a, b), halves(c, d)); }
#else
typedef float4 Out;
D Out row_of(float a, float b, float c, float d) { return make_float4(a, b, c, d); }
#endif
#define PITCH (3 * AT_A_TIME + 1)
D void put_joint(Out* buffer, int joint, const M& r, float x, float y, float z, int lane) {
  Out* out = buffer + PITCH * lane + 3 * (joint % AT_A_TIME);
  out[0] = row_of(r.m[0], r.m[1], r.m[2], x);
  out[1] = row_of(r.m[3], r.m[4], r.m[5], y);
  out[2] = row_of(r.m[6], r.m[7], r.m[8], z);
}
// characters' runs of joints from the first one on, written whole: threads next to each other write next to each other
template <int COUNT>
D void send(const Out* buffer, Out* __restrict__ poses, int character, int first, int lane) {
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 3 * COUNT; ++k) {
    const int i = 32 * k + lane, whose = i / (3 * COUNT), row = i - whose * (3 * COUNT);
    const int to = __shfl_sync(ALL, character, whose);
    if (to >= 0) __stcs(poses + (size_t)to * (3 * JOINTS) + 3 * first + row, buffer[PITCH * whose + row]);
  }
  __syncwarp();
}

// ---------------------------------------------------------------- 32 characters of one triangle a warp
#define TILE (64 * TILES)                     // uint4s of 16 numbers' coefficients
#define CONSTANTS (2 * EIGHTS * TILE + TILE)  // of a triangle; the last ones are those of the foot points
#define STAGE (256 * SLOTS_OF_EIGHT)          // float4s of a warp: the quaternions,
#define ASIDE (RESIDENT < EIGHTS ? 128 * TILES : 0)  // the basis,
#define BUFFER (32 * PITCH)                   // what goes out,
#define SMALL (8 * (UPPER > 8 ? UPPER : 8))   // gains, or how foot points move,
#define KEEP (64 * KEPT)                      // joints on which several hang
#define ROOM (STAGE + SMALL + KEEP + ASIDE)
#define FULL_ROWS (GAIT_SHARED ? VERTICES * ROW : 0)

extern "C" __global__ void __launch_bounds__(32 * WARPS, 1) play(float4* __restrict__ records, const float2* __restrict__ goals, STEP, float made, int harmonics, int columns, float noise, int beat, float beat_part, const float* __restrict__ maps, const float* __restrict__ seconds, const float2* __restrict__ corners, const uint4* __restrict__ coefficients, const float* __restrict__ energies, const float4* __restrict__ gaits, const float4* __restrict__ means, const int2* __restrict__ runs, const int* __restrict__ order, int* __restrict__ counts, Out* __restrict__ poses) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint4* own_coefficients = shared;
  float4* own_gaits = (float4*)(shared + CONSTANTS);
  float4* room = own_gaits + FULL_ROWS + warp * ROOM;
  float2* stage = (float2*)room;
  float* small = (float*)(room + STAGE);
  float4* keep = room + STAGE + SMALL;
#if RESIDENT < EIGHTS
  unsigned* aside = (unsigned*)(keep + KEEP);
#endif
  Out* buffer = (Out*)(own_gaits + FULL_ROWS + WARPS * ROOM) + warp * BUFFER;
  if (blockIdx.x == 0) for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) counts[t] = 0;  // for the next step
  const int groups = runs[TRIANGLES].x;
  int from = (int)((long long)groups * blockIdx.x / gridDim.x);
  const int to = (int)((long long)groups * (blockIdx.x + 1) / gridDim.x);
  if (from >= to) return;
  int tri = 0;
  {  // the last triangle that begins at or before the first group, and is not empty
    int low = 0, high = TRIANGLES;
    while (high - low > 1) { const int middle = (low + high) / 2; if (runs[middle].x <= from) low = middle; else high = middle; }
    tri = low;
  }
  for (; from < to; ++tri) {
    const int2 run = runs[tri];
    const int end = min(to, tri + 1 < TRIANGLES ? runs[tri + 1].x : groups);
    if (end <= from) continue;
    __syncthreads();
    for (int i = threadIdx.x; i < CONSTANTS; i += blockDim.x) own_coefficients[i] = coefficients[(size_t)tri * CONSTANTS + i];
#if GAIT_SHARED
    for (int i = threadIdx.x; i < VERTICES * ROW; i += blockDim.x) own_gaits[i] = gaits[(size_t)tri * VERTICES * ROW + i];
    const float4* gait = own_gaits;
#else
    const float4* gait = gaits + (size_t)tri * VERTICES * ROW;
#endif
    __syncthreads();
    const float *map = maps + 9 * tri;
    for (int group = from + warp; group < end; group += WARPS) {
      const int left = run.y - 32 * (group - run.x);
      const bool live = lane < left;
      const int character = order[32 * group + (live ? lane : 0)];
      int next = group + WARPS < end ? order[32 * (group + WARPS) + lane] : -1;
      if (32 * (group + WARPS - run.x) + lane >= run.y) next = -1;
      float4* record = records + 6 * (size_t)character;
      const float4 r1 = record[1], r2 = record[2], r5 = record[5];
      float w0, w1, w2, d0, d1, d2;
      {
        const float4 r0 = record[0];
        const float2 goal = goals[character];
        int old = __float_as_int(r5.w);
        if (old < 0 || old >= TRIANGLES) old = 0;
        Moved m = advance(r0, goal.x, goal.y, __float_as_int(r5.x), maps + 9 * old, seconds + 3 * old, dt, stiffness, decay, furthest);
        float w[3];
        weights(map, m.x, m.y, w);
        const bool outside = fminf(w[0], fminf(w[1], w[2])) < -1e-6f;
        float sum = 0.f;
#pragma unroll
        for (int k = 0; k < 3; ++k) { w[k] = fmaxf(w[k], 0.f); sum += w[k]; }
        const bool lost = !(sum > 1e-6f && sum < 1e6f);  // no number, or as good as none: back to a corner
#pragma unroll
        for (int k = 0; k < 3; ++k) w[k] = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
        if (outside || lost) {
          m = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
          for (int k = 0; k < 3; ++k) { const float2 p = corners[3 * tri + k]; m.x += w[k] * p.x; m.y += w[k] * p.y; }
        }
        float d[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          d[k] = map[3 * k + 1] * (m.x - r0.x) + map[3 * k + 2] * (m.y - r0.y);
          if (!(fabsf(d[k]) < 1e3f)) d[k] = 0.f;
        }
        w0 = w[0]; w1 = w[1]; w2 = w[2];
        d0 = d[0]; d1 = d[1]; d2 = d[2];
        if (live) record[0] = make_float4(m.x, m.y, m.vx, m.vy);
      }
      const Cell cell = cell_of(gait, w1, w2);
      const float4 head = numbers(cell, 0);
      const float rate = TAU / head.x;
      float phase = r1.x + rate * dt;
      phase -= TAU * floorf(phase * PER_TAU);
      const float turns = (phase - head.y) * PER_TAU;
      __syncwarp();
#if UPPER
#pragma unroll 1
      for (int u = 0; u < UPPER; ++u) {
        const float* e = energies + (size_t)(tri * UPPER + u) * 12;
        const float have = w0 * (e[0] * w0 + 2.f * (e[3] * w1 + e[4] * w2)) + w1 * (e[1] * w1 + 2.f * e[5] * w2) + e[2] * w2 * w2;
        const float want = w0 * e[6] + w1 * e[7] + w2 * e[8];
        small[32 * u + lane] = sqrtf(fminf(fmaxf(want / fmaxf(have, 1e-30f), 1.f), 10.f));
      }
      __syncwarp();
#endif
#pragma unroll 1
      for (int first = 0; first < 4; first += AT_ONCE) {
        Basis basis;
        make_basis(basis, first, w0, w1, w2, turns, harmonics, lane);
#pragma unroll 1
        for (int e = 0; 8 * e < PLAIN / 4; ++e) mix_eight(own_coefficients + 2 * e * TILE, basis, stage + 512 * e, first, 0, PLAIN / 4 - 8 * e, lane);
#if UPPER
        amplify(basis, first, small, lane);
#endif
#pragma unroll 1
        for (int e = PLAIN / 32; e < RESIDENT; ++e) mix_eight(own_coefficients + 2 * e * TILE, basis, stage + 512 * e, first, PLAIN / 4 - 8 * e, 8, lane);
#if RESIDENT < EIGHTS
        put_aside(basis, aside + 128 * TILES * first, lane);
#endif
      }
      const bool moves = __any_sync(ALL, d0 != 0.f || d1 != 0.f || d2 != 0.f);
      __syncwarp();
      if (moves) {  // how foot points move because the blend changes, seen from the root: [8][32]
#pragma unroll 1
        for (int first = 0; first < 4; first += AT_ONCE) {
          Basis basis;
          make_basis(basis, first, d0, d1, d2, turns, harmonics, lane);
          float sum[AT_ONCE][4] = {};
          mix(own_coefficients + 2 * EIGHTS * TILE, basis, sum, lane);
#pragma unroll
          for (int n = 0; n < AT_ONCE; ++n) {
            float* out = small + 32 * (lane >> 2) + 8 * (first + n) + 2 * (lane & 3);
            out[0] = sum[n][0];
            out[1] = sum[n][1];
          }
        }
      }
      __syncwarp();
      // ---- travel
      const Q travel = quad_of(stage, PLAIN / 4 - 1, lane);
      float s, c, x, z, height;
      Clock t;
      {
        float rowed[24];
#pragma unroll
        for (int k = 1; k < 6; ++k) {
          const float4 a = numbers(cell, k);
          rowed[4 * k] = a.x; rowed[4 * k + 1] = a.y; rowed[4 * k + 2] = a.z; rowed[4 * k + 3] = a.w;
        }
        sincos_(phase, s, c);
        float ck = c, sk = s, fore = rowed[5], side = rowed[14];
        height = travel.w + head.z + head.w * c - rowed[4] * s;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          fore += rowed[6 + 2 * k] * ck + rowed[7 + 2 * k] * sk;
          side += rowed[15 + 2 * k] * ck + rowed[16 + 2 * k] * sk;
          const float next = ck * c - sk * s;
          sk = ck * s + sk * c;
          ck = next;
        }
        const float ahead = travel.x + rate * fore, aside = travel.y + rate * side, turning = travel.z;
        const float half = .5f * dt, yaw = r1.w + half * (r2.z + turning);
        sincos_(.5f * (r1.w + yaw), s, c);
        const float fo = half * (r2.x + ahead), si = half * (r2.y + aside);
        z = r1.z + (c * fo - s * si);
        x = r1.y + (s * fo + c * si);
        sincos_(yaw, s, c);
        t = {dt, phase, rate, turning / rate, c, s};
        // the root makes way for feet that stand while the blend changes
        float wa = 0.f, wl = 0.f, total = 0.f;
        if (moves) {
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            const float share = bearing(cell, q, t);
            wa -= share * small[32 * (2 * q) + lane];
            wl -= share * small[32 * (2 * q + 1) + lane];
            total += share;
          }
        }
        total = fmaxf(total, 1.f);
        wa /= total;
        wl /= total;
        const float most = fmaxf(ROOT_SHIFT_SPEED * dt, 1e-9f), limit = rsqrtf(1.f + (wa * wa + wl * wl) / (most * most));
        const int word = __float_as_int(r2.w);
        const float ox = (float)((word << 16) >> 16) * (1.f / 32768.f) + limit * (s * wa + c * wl);
        const float oz = (float)(word >> 16) * (1.f / 32768.f) + limit * (c * wa - s * wl);
        x += made * ox;
        z += made * oz;
        const float keep = (1.f - made) * 32768.f;
        const int lo = (int)rintf(fminf(fmaxf(keep * ox, -32768.f), 32767.f)), hi = (int)rintf(fminf(fmaxf(keep * oz, -32768.f), 32767.f));
        if (live) {
          record[1] = make_float4(phase, x, z, yaw - TAU * rintf(yaw * PER_TAU));
          record[2] = make_float4(ahead, aside, turning, __int_as_float((lo & 0xffff) | (hi << 16)));
        }
      }
      const int origin = __float_as_int(r5.z);
      const float far_x = HALF ? -x : (float)((origin << 16) >> 16) * 64.f, far_z = HALF ? -z : (float)(origin >> 16) * 64.f;
      Feet f = {__float_as_int(r5.x), 0, 0, 0.f, false, __float_as_int(r5.x), __float_as_int(r5.y)};
      f.begun = ((f.marks >> BEGUN) & 1) == 1;
      Q facing;
      sincos_(.5f * (r1.w + .5f * dt * (r2.z + travel.z)), facing.y, facing.w);
      facing.x = facing.z = 0.f;
      if (next >= 0) {  // what the next round reads comes nearer meanwhile
        const float4* there = records + 6 * (size_t)next;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(there));
        asm volatile("prefetch.global.L2 [%0];" ::"l"(there + 5));
      }
      // ---- legs: their rotations in the world take the place of those in the parents' frames
      float ball[2];
#pragma unroll 1
      for (int foot = 0; foot < 2; ++foot) {
        const Leg& g = LEGS[foot];
        Q a = facing * quad_of(stage, JOINT[0].x, lane);
        V b = {x, height, z}, hip, knee;
        Q hip_turn;
#pragma unroll 1
        for (int i = 0; i < ABOVE + PATH; ++i) {
          const int joint = CHAIN[foot][i], quad = JOINT[joint].x;
          b = b + turned(a, OFFSETS[joint]);
          a = a * (JOINT[joint].z < columns ? quad_of(stage, quad, lane) : mean_of(means + (size_t)(tri * JOINTS + joint) * 3, w0, w1, w2));
          if (i >= ABOVE) put_quad(stage, quad, lane, a);
          if (i == ABOVE) { hip = b; hip_turn = a; }
          if (i == ABOVE + KNEE) knee = b;
        }
        const V heel = b + turned(a, g.heel), toe = b + turned(a, g.toe);
        float4 kept = record[3 + foot];
        Held h[2];
        bool rolling;
        const Target target = ask(g, cell, t, foot, hip, b, heel, toe, kept, f, h, rolling);
        if (live) record[3 + foot] = kept;
        const Bent bent = bend(g, hip, knee, b, hip_turn, a, heel, toe, target);
        note_standing(f, foot, h, rolling, bent.height);
#pragma unroll 1
        for (int i = 0; i < PATH - 1; ++i) {
          const int quad = JOINT[CHAIN[foot][ABOVE + i]].x;
          put_quad(stage, quad, lane, (i < KNEE ? bent.swing : bent.folded) * quad_of(stage, quad, lane));
        }
        put_quad(stage, JOINT[CHAIN[foot][ABOVE + PATH - 1]].x, lane, bent.foot);
        if (foot) ball[1] = bent.ball; else ball[0] = bent.ball;
      }
      // ---- joints, in the order in which they are written
      const int writes = live ? character : -1;
      Q q = facing;
      V at = {x, height, z};
      M m;
#if RESIDENT < EIGHTS
      int eight = 0;
#endif
#pragma unroll 1
      for (int joint = 0; joint < JOINTS; ++joint) {
        const int4 is = JOINT[joint];  // its quaternion, bits of what else there is to do, and its column
        if (is.y & FROM_KEPT) {
          const float4 *from = keep + 64 * ((is.y >> 8) & 255) + lane, one = from[0], two = from[32];
          q = {one.x, one.y, one.z, one.w};
          at = {two.x, two.y, two.z};
          m = matrix(q);
        }
        if (joint) at = at + m * OFFSETS[joint];
#if RESIDENT < EIGHTS
        if (is.y & IS_NEXT) {  // the first one of its eight
          __syncwarp();
#pragma unroll 1
          for (int first = 0; first < 4; first += AT_ONCE) {
            Basis basis;
            take_back(basis, aside + 128 * TILES * first, lane);
            mix_eight(own_coefficients + 2 * (RESIDENT + eight) * TILE, basis, stage + 512 * RESIDENT, first, 0, 8, lane);
          }
          ++eight;
          __syncwarp();
        }
#endif
        Q own = quad_of(stage, is.x, lane);
        if (is.z >= columns && !(is.y & IS_GIVEN)) own = mean_of(means + (size_t)(tri * JOINTS + joint) * 3, w0, w1, w2);
        if (NOISY && (is.y & IS_NOISY) && noise > 0.f) own = noisy(own, character, (is.y >> 24) & 255, noise, beat, beat_part);
        q = is.y & IS_GIVEN ? own : q * own;
        if (is.y & IS_TOE) {
          const int foot = (is.y & IS_RIGHT) != 0;
          q = toes_of(LEGS[foot], q, quad_of(stage, JOINT[CHAIN[foot][ABOVE + PATH - 1]].x, lane), foot ? ball[1] : ball[0]);
        }
        m = matrix(q);
        if (is.y & IS_KEPT) {
          float4* to = keep + 64 * ((is.y >> 16) & 255) + lane;
          to[0] = make_float4(q.w, q.x, q.y, q.z);
          to[32] = make_float4(at.x, at.y, at.z, 0.f);
        }
        put_joint(buffer, joint, m, at.x + far_x, at.y, at.z + far_z, lane);
        if (joint % AT_A_TIME == AT_A_TIME - 1) send<AT_A_TIME>(buffer, poses, writes, joint + 1 - AT_A_TIME, lane);
      }
      if (JOINTS % AT_A_TIME) send<JOINTS % AT_A_TIME ? JOINTS % AT_A_TIME : 1>(buffer, poses, writes, JOINTS - JOINTS % AT_A_TIME, lane);
      const float give = eased((STRAIN_TO - f.strain) / (STRAIN_TO - STRAIN_FROM));
      f.marks = (f.marks & ((1 << GIVE) - 1)) | (1 << BEGUN) | ((int)rintf(give * 255.f) << GIVE) | (f.planted << PLANTED);
      if (live) record[5] = make_float4(__int_as_float(f.marks), __int_as_float(f.holds), r5.z, __int_as_float(tri));
      __syncwarp();
    }
    from = end;
  }
}
