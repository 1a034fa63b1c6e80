(* 1 + x <= exp x for every real x, which the library has for x >= 0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions signed reals topology normedtype sequences derive realfun exp.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Lemma expR_above_line (R : realType) (x : R) : 1 + x <= expR x.
Proof.
have [x0|x0] := leP 0 x; first exact: expR_ge1Dx.
have [c cx e] : exists2 c, c \in `]x, 0[ & expR 0 - expR x = expR c * (0 - x).
  apply: (@MVT R expR expR x 0 x0); apply: continuous_subspaceT => z; exact: continuous_expR.
have c1 : expR c <= 1 by move: cx; rewrite in_itv /= => /andP[_ c0]; rewrite -expR0 ler_expR ltW.
have nx : 0 <= - x by rewrite oppr_ge0 ltW.
have := ler_wpmul2r nx c1; rewrite mul1r -(sub0r x) -e expR0 sub0r ler_subl_addr addrC -ler_subl_addr opprK.
by [].
Qed.
