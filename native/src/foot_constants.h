// Constants of foot plants, leg IK, toes and root motion by feet.
// Written by python -m benchmarks.foot_header from mocapella/gait/foot_constants.py; change them there.
#pragma once

namespace foot {
// Foot plants: the strength of a lock, and the part of a plant in which the point rests.
constexpr double ROLL = 0.3;  // share of a plant, at its end, in which the point may rise as the foot rolls off
constexpr double FIRM = 0.999;  // strength of a lock, 0 to 1; a weaker one counts as released
constexpr double RISEN = 0.014;  // metres: a point that much higher than in the middle of its plant has left the ground
constexpr double LANDING = 0.004;  // metres more, at its beginning: a foot is braked before it is held
constexpr double TILTED = 0.007;  // metres: a point that much higher than then over the other end of its foot does not rest
constexpr double LOW = 0.025;  // metres over that end all the time, from which on it rests in less of its plant
constexpr double HIGH = 0.04;  // metres over that end at which it rests in nothing of its plant
constexpr double CLEAR = 0.004;  // metres above the ground: a point that is lower has not left it
constexpr double SWIVEL = 1.2;  // radians per second: a foot that turns faster on its toe has lifted its heel
constexpr double SOONER = 1.0;  // samples before it rises at which a heel is released

// Leg IK.
constexpr double STRAIGHTEST = 0.9999;  // of the leg's length: how far a foot may be held from its hip
constexpr double UNMOVED = 1e-09;  // metres: a foot displaced by less is where its pose has it
constexpr double SOFT = 1.5;  // exponent by which a nearly straight leg stops stretching, where its foot is free
constexpr double SHARP = 8.0;  // the same where its foot is held at both ends, far from its pose
constexpr double FAR = 0.06;  // metres of displacement of a foot from which on that is sharpest
constexpr double TOO_SHORT = 0.03;  // metres that a leg is too short for its foot to lie flat: then the heel is not held at all
constexpr double FURTHEST = 0.45;  // radians by which a foot rolls at most for a leg that is too short: further, it would flip
constexpr double KNEE_STRAIGHT = 0.08726646259971647;  // radians of fold up to which the hinge says how a knee bends
constexpr double KNEE_BENT = 0.4363323129985824;  // radians of fold from which on the pose says so

// Toes, bent so that their tips stay above the ground.
constexpr double FOLLOW = 0.35;  // radians that toes unbend with every length of theirs that the ball rises
constexpr double TOES_SOFT = 0.19;  // radians before and after the ground between which toes come to lie on it
constexpr double FREE = 5.0;  // lengths of the toes: with the ball that high nothing bends them
constexpr double BACK = 3.9269908169872414;  // radians from upright from which on toes that point back bend less
constexpr double FOLDED = 4.71238898038469;  // radians from upright from which on nothing bends them

// Root motion fitted to planted feet.
constexpr double ROLLING = 0.08;  // of the speed: a point that requires that much more or less rolls off, and counts half
constexpr double NO_LENGTH = 1e-300;  // metres: nothing beside any length, and something to divide by
constexpr double STAYS = 0.02;  // m/s: a motion as slow as this stays where it is
constexpr double GOES = 0.05;  // m/s: a motion as fast as this travels
constexpr double TURNS = 0.1;  // rad/s: a turn on the spot as fast as this is left as a circle
constexpr double STIFFNESS = 0.003;  // penalty of a harmonic of the fit, times its number squared: decides where no foot rests
}  // namespace foot
