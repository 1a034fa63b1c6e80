(* Statements about `cross` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From DPMatrix.generated Require cross.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem wishart_degrees_of_freedom_repaired : cross.wishart_degrees_of_freedom_repaired.
Proof.
  intros d e delta Hd He Hdelta H1.
  assert (0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  assert (E : 4 / delta = 4 * (1 / delta)) by (field; lra). rewrite E.
  assert (1 <= 1 / delta) by (assert (Q := quotient_times 1 delta ltac:(lra)); nra).
  assert (0 <= ln (1 / delta)) by now apply logarithm_nonnegative.
  assert (0 < ln 4) by (apply logarithm_positive; lra).
  rewrite ln_mult by lra. set (l := ln (1 / delta)) in *. set (k := ln 4) in *.
  repeat split; try nra. unfold Rmax. destruct (Rle_dec _ _).
  - replace (_ - _) with (14 * (k + l) / e ^ 2) by (field; lra). apply quotient_nonnegative; nra.
  - replace (_ - _) with ((28 * k + 14 * l) / e ^ 2) by (field; lra). apply quotient_nonnegative; nra.
Qed.

Theorem gaussian_constant__slides_for_a_replaced_row : cross.gaussian_constant__slides_for_a_replaced_row.
Proof.
  intros d e delta He Hdelta H1.
  assert (0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  assert (E : 5 / 4 / delta = 5 / 4 * (1 / delta)) by (field; lra). rewrite E.
  assert (1 <= 1 / delta) by (assert (Q := quotient_times 1 delta ltac:(lra)); nra).
  assert (0 <= ln (1 / delta)) by now apply logarithm_nonnegative.
  assert (0 < ln (5 / 4) < 1 / 4) by (split; interval with (i_prec 60)).
  rewrite ln_mult by lra. set (l := ln (1 / delta)) in *. set (k := ln (5 / 4)) in *.
  repeat split; try lra.
  replace (_ - _) with (sqrt 2 * (1 + sqrt (2 * l) - sqrt (2 * (k + l))) / e) by (field; lra).
  apply quotient_nonnegative; [| lra]. apply Rmult_le_pos; [apply sqrt_pos |].
  assert (0 <= sqrt (2 * l)) by apply sqrt_pos.
  assert (sqrt (2 * l) * sqrt (2 * l) = 2 * l) by (apply sqrt_sqrt; lra).
  apply root_below; nra.
Qed.
