(* Statements about `compression` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From DPMatrix.generated Require compression.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_5_1__triangle : compression.theorem_5_1__triangle.
Proof. margin. Qed.

Theorem lemma_4_4__triangle : compression.lemma_4_4__triangle.
Proof. margin. Qed.

Theorem lemma_4_4__union : compression.lemma_4_4__union.
Proof.
  intros n c r m Hn Hc. assert (0 < IZR n * IZR c) by nra. repeat split; try nra.
  replace (_ - _) with ((3 * IZR c - 1) / (4 * IZR n ^ 2 * IZR c)) by (field; lra).
  apply Rdiv_lt_0_compat; [lra |]. repeat apply Rmult_lt_0_compat; nra.
Qed.

Theorem remark_4_3__ratio : compression.remark_4_3__ratio.
Proof.
  intros f s a b n Hs Ha Hb. assert (0 < s / (1 - b)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra; [nra |]. apply equation_holds. field. repeat split; lra.
Qed.

Theorem lemma_b_1__first_constant : compression.lemma_b_1__first_constant.
Proof.
  intros p H. apply equation_meant in H. subst p. repeat split; interval with (i_prec 60).
Qed.

Lemma constants_positive : 0 < 4 * exp 1 / sqrt (6 * PI) /\ 0 < exp 1 * sqrt 8 /\ 0 < sqrt (6 * PI).
Proof. repeat split; interval with (i_prec 60). Qed.

Lemma logarithm_of_entries n p : 0 <= n - 1 -> 0 <= p - 1 -> 0 < 2 * n * p /\ 0 < ln (2 * n * p).
Proof. intros Hn Hp. assert (1 < 2 * n * p) by nra. split; [lra | now apply logarithm_positive]. Qed.

Theorem lemma_4_4__tau_at_most_one : compression.lemma_4_4__tau_at_most_one.
Proof.
  intros n c m x Hn Hc [_ [_ [_ H]]]. pose proof PI_RGT_0. destruct constants_positive as [A [B S]].
  destruct (logarithm_of_entries _ _ Hn Hc) as [N L].
  set (a := 4 * exp 1 / sqrt (6 * PI)) in *. set (b := exp 1 * sqrt 8) in *. set (l := ln _) in *.
  assert (0 < 2 * (a + b) * l) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= 2 * (a + b) * l / IZR m) by (apply quotient_nonnegative; lra).
  assert (T : sqrt (2 * (a + b) * l / IZR m) <= 1).
  { pose proof (quotient_below 1 (2 * (a + b) * l) (IZR m) ltac:(lra) ltac:(lra)).
    apply Rge_le, Rminus_ge, Rle_ge, root_below; lra. }
  pose proof (sqrt_pos (2 * (a + b) * l / IZR m)). set (t := sqrt (2 * (a + b) * l / IZR m)) in *.
  assert (0 <= b * t <= b) by nra. repeat split; try lra.
  replace (_ - _) with (IZR m * t ^ 2 * (b - b * t) / ((a + b * t) * (a + b))) by (field; lra).
  apply quotient_nonnegative; [| nra]. apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow2_ge_0] | lra].
Qed.

Theorem procedure_4_1__one_centre_for_all : compression.procedure_4_1__one_centre_for_all.
Proof.
  intros n c m x f s Hn Hc Hm Hx Hd. pose proof PI_RGT_0. destruct constants_positive as [A [B S]].
  destruct (logarithm_of_entries _ _ Hn Hc) as [N L].
  repeat split; try lra; [apply quotient_nonnegative; [apply Rmult_le_pos |]; lra |].
  match goal with |- context [sqrt ?y + x] => pose proof (sqrt_pos y); set (t := sqrt y) in * end.
  assert (H2 : 0 < Rmax f s - Rmin f s <= x) by (extremes; lra).
  set (h := Rmax f s) in *. set (l := Rmin f s) in *.
  rewrite (Rabs_pos_eq (_ - l)), (Rabs_pos_eq (_ - h)) by lra.
  replace (_ * _) with ((h - l) / 2 * ((h - l) / 2)) by field. apply Rmult_lt_0_compat; lra.
Qed.

Lemma kept_probability n p : 0 <= n - 2 -> 0 <= p -> 0 <= 1 / n ^ 2 - p ->
  0 < 1 - p /\ 1 <= 1 / (1 - p) <= n ^ 2 / (n ^ 2 - 1).
Proof.
  intros Hn Hp H. assert (4 <= n ^ 2) by nra. set (m := n ^ 2) in *.
  assert (Q := quotient_times 1 m ltac:(lra)). assert (p * m <= 1) by nra. assert (p < 1) by nra.
  repeat split; try lra; apply Rmult_le_reg_r with (1 - p); try lra; rewrite quotient_times by lra; [lra |].
  apply Rmult_le_reg_r with (m - 1); [lra |].
  replace (m / (m - 1) * (1 - p) * (m - 1)) with (m * (1 - p)) by (field; lra). lra.
Qed.

Theorem remark_4_3 : compression.remark_4_3.
Proof.
  intros f s a b n Hn Hf Hs Ha Hb [_ HA] [_ HB].
  destruct (kept_probability _ _ Hn Ha HA) as [A [A1 A2]]. destruct (kept_probability _ _ Hn Hb HB) as [B [B1 B2]].
  assert (4 <= IZR n ^ 2) by nra.
  assert (0 < f / (1 - a)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < s / (1 - b)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra; try (apply Rdiv_lt_0_compat; lra).
  set (r := IZR n ^ 2 / (IZR n ^ 2 - 1)) in *.
  assert (forall x, 1 <= x <= r -> 0 <= ln x <= ln r) as L.
  { intros x [X1 X2]. split; [now apply logarithm_nonnegative |].
    destruct X2 as [X2 | ->]; [apply Rlt_le, ln_increasing |]; lra. }
  pose proof (L _ (conj A1 A2)). pose proof (L _ (conj B1 B2)).
  assert (E : ln (f / (1 - a) / (s / (1 - b))) + ln (1 / (1 - b)) = ln (f / s) + ln (1 / (1 - a))).
  { rewrite <- !ln_mult; try (apply Rdiv_lt_0_compat; lra). f_equal. field. repeat split; lra. }
  replace (ln (f / (1 - a) / (s / (1 - b)))) with (ln (f / s) + ln (1 / (1 - a)) - ln (1 / (1 - b))) by lra.
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
