// The numbers behind `awele plan`, all in one place.
//
// Counts, and the nanoseconds of exits, moves, finish and of bytes between ranks, were fitted by hand to
//   awele bench --slice N --db DIR     (N = 20, 22, 24; alone and under mpirun -n 2)
// on two otherwise idle cores of a virtual machine (AMD EPYC, 32 MiB of L3 cache). What is marked as assumed
// was measured nowhere. Times are those of one rank; what other ranks add is counted apart.
#pragma once

namespace awele::calibration {

/// A quantity that grows evenly with the logarithm of the number of seeds.
struct Law {
  double at_24, slope;
};

// ---- counts

/// Rounds in which something is settled: at 24 seeds, more for each further seed, and that more growing.
struct Rounds {
  double at_24, slope, bend;
};
inline constexpr Rounds kRounds = {610, 36, 0.19};
/// Share of these rounds that is left when values are clamped to W of n, by W/n: 1 - (1 - W/n)^kFewerRounds.
/// Measured at 14 to 18 seeds with W = 1 to 7: off by a sixth at most.
inline constexpr double kFewerRounds = 2;
/// Share of the inner moves that is taken back: those that lead to a position not worth 0.
inline constexpr Law kTakenBack = {0.9, 0};
/// Words searched at thresholds: of a state row, one in eight positions, at this share of all thresholds a
/// seed.
inline constexpr double kThresholdShare = 0.0385;
/// Bytes of a position on disk.
inline constexpr Law kDiskBytes = {0.499, 0.1};
/// Share of them that is left when values are clamped to W: 1 - kClampedLess exp(-kClampedLessSlope W).
/// Measured at 14 to 20 seeds with W = 1 to 8.
inline constexpr double kClampedLess = 0.864, kClampedLessSlope = 0.3;
inline constexpr double kFileOverhead = 2000;  ///< bytes of a file without values

/// Bytes handed to other ranks, if all were others: an inner move taken back, a settled position (and its
/// value at the end), a capture.
inline constexpr double kBytesAMove = 2.6, kBytesAPosition = 3.5, kBytesACapture = 1.1;
/// Exchanges of a round: one of positions and one of their predecessors for each sign.
inline constexpr double kExchangesARound = 4, kReductionsAnExchange = 1;

// ---- nanoseconds of one rank

inline constexpr double kStateNs = 3.5;        ///< a position: filled at first, exits noted
inline constexpr double kInflateNs = 1.8;      ///< a value of a smaller slice
inline constexpr double kCaptureNs = 1.3;      ///< a capture
inline constexpr double kMoveNs = 25.5;        ///< an inner move taken back, in a slice of 24 seeds
inline constexpr double kMoveNsGrowth = 0.03;  ///< more of it for each further seed, up to kMoveNsLast
inline constexpr int kMoveNsLast = 32;
inline constexpr double kWordNs = 0.5;                              ///< a word searched
inline constexpr double kTranspositionNs = 1.5, kCompressNs = 6.3;  ///< a position
inline constexpr double kWriteNs = 1;         ///< a byte of a file, at the one rank that writes
inline constexpr double kFileSeconds = 0.02;  ///< to complete and flush a file

/// A position, verified afterwards: up to kVerifyNear seeds, from kVerifyFar seeds on (measured at 30 on a
/// busy machine), evenly between.
inline constexpr double kVerifyNs = 60, kVerifyFarNs = 1000;
inline constexpr int kVerifyNear = 18, kVerifyFar = 30;

// ---- interruption: checkpoints of slice 22 on two ranks, at the exits, in the rounds and at the end

inline constexpr double kCheckpointNs = 25;  ///< a position, of one rank: put in order, deflated, read back
/// A position, in a checkpoint that comes when it is largest: with one byte of state a position (most
/// measured of slices 20 to 22 and of outcomes of 31 seeds: 0.56), and with counts apart.
inline constexpr double kCheckpointBytes = 0.6, kCheckpointBytesApart = 0.75;
/// The longest round, as a share of all rounds of its slice.
inline constexpr double kLongestRound = 0.1;

// ---- what ranks cost

inline constexpr double kByteNs = 3.2;     ///< a byte packed and unpacked
inline constexpr double kExchangeUs = 2;   ///< an exchange without messages; assumed, like the two below
inline constexpr double kMessageUs = 1;    ///< a message more
inline constexpr double kReductionUs = 2;  ///< a level of a reduction within a node
/// Assumed, not measured: one way between two nodes.
inline constexpr double kNetworkLatencyUs = 2;

}  // namespace awele::calibration
