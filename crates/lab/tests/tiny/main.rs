//! Every experiment, tiny: so that none of them rots, and each reply of a run is judged.

mod beside_peers;
