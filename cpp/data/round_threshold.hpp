// Thresholds people can read: any number between two neighbouring values divides the
// rows alike, so the roundest is taken.
#pragma once

namespace dpdtree {

// The roundest number t with low <= t < high (finite, low < high): 0 if it is one of
// them, else that of the fewest significant decimal digits; of several the one next to
// the middle, the lower if two are.
double roundest(double low, double high);

// The same for a threshold between two neighbouring values, which also parts what
// single precision makes of them if it tells them apart.
double round_threshold(double low, double high);

}  // namespace dpdtree
