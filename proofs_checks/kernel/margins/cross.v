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

Lemma inverse_of_probability delta : 0 < delta -> 0 <= 1 - delta -> 1 <= 1 / delta.
Proof. intros H H1. assert (Q := quotient_times 1 delta ltac:(lra)). nra. Qed.

(* The logarithm in the scale of near-optimal is ln(1/delta) and one of a number that is smallest for d = 2. *)
Lemma near_optimal_logarithm d delta : 0 <= d - 2 -> 0 < delta -> 0 < 1 - delta ->
  0 < (d ^ 2 + d) / (delta * 2 * sqrt (2 * PI)) /\
  17 / 100 + ln (1 / delta) <= ln ((d ^ 2 + d) / (delta * 2 * sqrt (2 * PI))).
Proof.
  intros Hd H H1. pose proof (inverse_of_probability delta H ltac:(lra)).
  assert (S : 0 < sqrt (2 * PI)) by interval with (i_prec 60).
  assert (0 < 1 / (2 * sqrt (2 * PI))) by (apply Rdiv_lt_0_compat; lra).
  assert (L : 17 / 100 <= ln (6 * (1 / (2 * sqrt (2 * PI))))) by interval with (i_prec 60).
  assert (M : 6 * (1 / (2 * sqrt (2 * PI))) <= (d ^ 2 + d) * (1 / (2 * sqrt (2 * PI)))).
  { apply Rmult_le_compat_r; nra. }
  replace ((d ^ 2 + d) / (delta * 2 * sqrt (2 * PI)))
    with ((d ^ 2 + d) * (1 / (2 * sqrt (2 * PI))) * (1 / delta)) by (field; lra).
  set (k := 1 / (2 * sqrt (2 * PI))) in *.
  split; [apply Rmult_lt_0_compat; [nra | lra] |]. rewrite ln_mult; [| nra | lra].
  enough (ln (6 * k) <= ln ((d ^ 2 + d) * k)) by lra.
  destruct M as [M | ->]; [apply Rlt_le, ln_increasing; lra | lra].
Qed.

Lemma root_above a c : c * c <= a -> 0 <= sqrt a - c.
Proof.
  intros H. destruct (Rle_dec 0 c) as [Hc |]; [| pose proof (sqrt_pos a); lra].
  apply sqrt_le_1_alt in H. rewrite sqrt_square in H by exact Hc. lra.
Qed.

Theorem gaussian_constant__slides_below_near_optimal : cross.gaussian_constant__slides_below_near_optimal.
Proof.
  intros d e delta He Hd H1 Hdim. pose proof PI_RGT_0. pose proof (inverse_of_probability delta Hd ltac:(lra)) as I.
  pose proof (logarithm_nonnegative _ I). destruct (near_optimal_logarithm _ _ Hdim Hd H1) as [P L].
  assert (0 < sqrt (2 * PI)) by (apply sqrt_lt_R0; lra). assert (0 < sqrt e) by now apply sqrt_lt_R0.
  repeat split; try lra; try (apply Rmult_integral_contrapositive; lra).
  set (l := ln (1 / delta)) in *. set (m := ln ((_ + _) / _)) in *.
  assert (0 < 1 / sqrt e) by (apply Rdiv_lt_0_compat; lra).
  enough (0 <= ((IZR d + 1) * sqrt (2 * m) - sqrt 2 * (1 + sqrt (2 * l))) / e).
  { replace (_ - _) with (((IZR d + 1) * sqrt (2 * m) - sqrt 2 * (1 + sqrt (2 * l))) / e + 1 / sqrt e)
      by (field; lra). lra. }
  apply quotient_nonnegative; [| exact He].
  pose proof (sqrt_pos (2 * l)). pose proof (sqrt_pos (2 * m)).
  assert (X := sqrt_sqrt (2 * l) ltac:(lra)). assert (T : sqrt 2 < 3 / 2) by (interval with (i_prec 60)).
  set (x := sqrt (2 * l)) in *.
  assert (Y : 0 <= sqrt (2 * m) - (1 + x) / 2).
  { apply root_above. pose proof (Rle_0_sqr (x - 1 / 3)) as Z. unfold Rsqr in Z. nra. }
  assert (sqrt 2 * (1 + x) <= 3 / 2 * (1 + x)) by (apply Rmult_le_compat_r; lra). nra.
Qed.

Theorem gaussian_constant_repaired : cross.gaussian_constant_repaired.
Proof.
  intros d e delta He Hd H1 Hdim. pose proof PI_RGT_0. pose proof (inverse_of_probability delta Hd ltac:(lra)) as I.
  pose proof (logarithm_nonnegative _ I). destruct (near_optimal_logarithm _ _ Hdim Hd H1) as [P L].
  assert (0 < sqrt (2 * PI)) by (apply sqrt_lt_R0; lra). assert (0 < sqrt e) by now apply sqrt_lt_R0.
  assert (E : 5 / 4 / delta = 5 / 4 * (1 / delta)) by (field; lra). rewrite E.
  assert (K : 0 < ln (5 / 4) < 1 / 4) by (split; interval with (i_prec 60)).
  rewrite (ln_mult (5 / 4)) by lra.
  repeat split; try lra; try (apply Rmult_integral_contrapositive; lra).
  set (l := ln (1 / delta)) in *. set (m := ln ((_ + _) / _)) in *. set (k := ln (5 / 4)) in *.
  assert (0 < 1 / sqrt e) by (apply Rdiv_lt_0_compat; lra).
  enough (0 <= ((IZR d + 1) * sqrt (2 * m) - sqrt 2 * sqrt (2 * (k + l))) / e).
  { replace (_ - _) with (((IZR d + 1) * sqrt (2 * m) - sqrt 2 * sqrt (2 * (k + l))) / e + 1 / sqrt e)
      by (field; lra). lra. }
  apply quotient_nonnegative; [| exact He].
  pose proof (sqrt_pos (2 * m)). pose proof (sqrt_pos (2 * (k + l))).
  assert (T : sqrt 2 < 3 / 2) by (interval with (i_prec 60)).
  assert (S : sqrt (2 * m * (2 * 2)) = sqrt (2 * m) * 2) by (rewrite sqrt_mult, sqrt_square by lra; reflexivity).
  assert (sqrt (2 * (k + l)) <= sqrt (2 * m * (2 * 2))) by (apply sqrt_le_1_alt; lra). nra.
Qed.

Theorem gaussian_constant__slides_for_an_added_row : cross.gaussian_constant__slides_for_an_added_row.
Proof.
  intros d e delta He Hd H1. pose proof (inverse_of_probability delta Hd ltac:(lra)) as I.
  assert (E : 5 / 4 / delta = 5 / 4 * (1 / delta)) by (field; lra). rewrite E.
  assert (16 <= 1 / delta) by (assert (Q := quotient_times 1 delta ltac:(lra)); nra).
  assert (K : 22 / 100 < ln (5 / 4)) by interval with (i_prec 60).
  assert (L : 277 / 100 < ln 16) by interval with (i_prec 60).
  assert (ln 16 <= ln (1 / delta)) by (destruct H as [H | <-]; [apply Rlt_le, ln_increasing |]; lra).
  rewrite (ln_mult (5 / 4)) by lra. set (l := ln (1 / delta)) in *. set (k := ln (5 / 4)) in *.
  repeat split; try lra. rewrite <- Rdiv_minus_distr. apply quotient_nonnegative; [| exact He].
  rewrite <- sqrt_mult by lra. apply root_above.
  pose proof (sqrt_pos (2 * l)). assert (X := sqrt_sqrt (2 * l) ltac:(lra)).
  assert (0 <= sqrt (2 * l) - 23 / 10) by (apply root_above; lra). nra.
Qed.

Lemma chain_length_bound y : 1 <= y <= 2 ->
  0 <= y ^ 2 * (1 - 1 / 10 * (exp y - 1)) / (20 * (1 + exp y)) - 1 / 150.
Proof. intros H. interval with (i_bisect y, i_prec 60). Qed.

Theorem low_rank_lower_bounds__order_in_epsilon : cross.low_rank_lower_bounds__order_in_epsilon.
Proof.
  intros e delta He He1 Hd Hd1. pose proof (floor_between (2 / e)) as [F1 F2].
  assert (Q := quotient_times 2 e ltac:(lra)). set (t := IZR (Int_part (2 / e))) in *.
  pose proof (exp_pos (t * e)). pose proof (exp_ineq1_le e). assert (0 < e ^ 2) by nra.
  repeat split; try lra.
  assert (Y : 1 <= t * e <= 2) by nra. pose proof (exponential_above (t * e) ltac:(lra)).
  pose proof (chain_length_bound (t * e) Y) as B.
  assert (D : delta / (exp e - 1) <= 1 / 10).
  { apply Rmult_le_reg_r with (exp e - 1); [lra |]. rewrite quotient_times; lra. }
  replace (delta * (exp (t * e) - 1) / (exp e - 1)) with (delta / (exp e - 1) * (exp (t * e) - 1)) by (field; lra).
  assert (delta / (exp e - 1) * (exp (t * e) - 1) <= 1 / 10 * (exp (t * e) - 1)) by (apply Rmult_le_compat_r; lra).
  replace (_ - _) with (((t * e) ^ 2 * (1 - delta / (exp e - 1) * (exp (t * e) - 1)) / (20 * (1 + exp (t * e)))
    - 1 / 150) / e ^ 2) by (field; repeat split; lra).
  apply quotient_nonnegative; [| assumption].
  enough ((t * e) ^ 2 * (1 - 1 / 10 * (exp (t * e) - 1)) / (20 * (1 + exp (t * e)))
    <= (t * e) ^ 2 * (1 - delta / (exp e - 1) * (exp (t * e) - 1)) / (20 * (1 + exp (t * e)))) by lra.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra |].
  apply Rmult_le_compat_l; [apply pow2_ge_0 | lra].
Qed.

Theorem ppca_sample_complexity_repaired : cross.ppca_sample_complexity_repaired.
Proof.
  intros d n e f s r h Hd Hn He Hs Hg H1 Hr Hr1 Hh Hh1.
  assert (0 < e * (1 - r) * (f - s)) by (repeat apply Rmult_lt_0_compat; lra).
  assert (R2 : 0 < 1 - r ^ 2 <= 1) by nra.
  assert (0 < (1 - r ^ 2) * (f - s) <= f) by nra.
  assert (A : 1 <= f / ((1 - r ^ 2) * (f - s))).
  { apply Rmult_le_reg_r with ((1 - r ^ 2) * (f - s)); [lra |]. rewrite quotient_times; lra. }
  replace (4 * f / ((1 - r ^ 2) * (f - s))) with (4 * (f / ((1 - r ^ 2) * (f - s)))) by (field; lra).
  replace (8 * f / ((1 - r ^ 2) * (f - s))) with (4 * (f / ((1 - r ^ 2) * (f - s))) * 2) by (field; lra).
  set (a := f / _) in *. repeat split; try lra.
  assert (0 < IZR d / (e * (1 - r) * (f - s))) by (apply Rdiv_lt_0_compat; lra).
  set (q := IZR d / _) in *.
  assert (0 <= - ln h / IZR d).
  { apply quotient_nonnegative; [| lra]. pose proof (logarithm_nonpositive h ltac:(lra) ltac:(lra)). lra. }
  replace (- 4 * ln h / IZR d) with (4 * (- ln h / IZR d)) by (field; lra). set (p := - ln h / IZR d) in *.
  rewrite ln_mult by lra. assert (ln 2 <= ln (4 * a)) by (apply Rlt_le, ln_increasing; lra).
  assert (0 < ln 2) by (apply logarithm_positive; lra). set (l := ln (4 * a)) in *. set (k := ln 2) in *.
  apply Rmin_glb.
  - replace (_ - _) with (q * (2 * p + 2 * k)) by ring. apply Rmult_le_pos; lra.
  - replace (_ - _) with (q * (2 * (l - k))) by ring. apply Rmult_le_pos; lra.
Qed.
