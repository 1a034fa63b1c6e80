(* Statements about `near-optimal` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From DPMatrix.generated Require near_optimal.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_5__density_ratio : near_optimal.theorem_5__density_ratio.
Proof. margin. Qed.

Theorem theorem_6__score_bound : near_optimal.theorem_6__score_bound.
Proof. margin. Qed.

Theorem theorem_7__threshold : near_optimal.theorem_7__threshold.
Proof. margin. Qed.

Theorem theorem_7__exponent_at_sigma : near_optimal.theorem_7__exponent_at_sigma.
Proof. margin. Qed.

Theorem theorem_7__one_minus_rho : near_optimal.theorem_7__one_minus_rho.
Proof. margin. Qed.

Theorem theorem_8__characteristic : near_optimal.theorem_8__characteristic.
Proof. margin. Qed.

Theorem theorem_8__discriminant : near_optimal.theorem_8__discriminant.
Proof. margin. Qed.

Theorem theorem_8__direction : near_optimal.theorem_8__direction.
Proof. margin. Qed.

Theorem theorem_8__inequality_17 : near_optimal.theorem_8__inequality_17.
Proof. margin. Qed.

Theorem theorem_9__square_of_phi : near_optimal.theorem_9__square_of_phi.
Proof. margin. Qed.

Theorem theorem_9__square_root : near_optimal.theorem_9__square_root.
Proof. margin. Qed.

Theorem lemma_16__exponential : near_optimal.lemma_16__exponential.
Proof. margin. Qed.

Theorem lemma_18__positive_probability : near_optimal.lemma_18__positive_probability.
Proof. margin. Qed.

Theorem theorem_15__inequality_26 : near_optimal.theorem_15__inequality_26.
Proof. margin. Qed.

Theorem theorem_5__l1_change_is_linear : near_optimal.theorem_5__l1_change_is_linear.
Proof.
  intros d Hd. repeat split; try lra.
  replace (_ - _) with (2 * (IZR d - 1) / IZR d) by (field; lra). apply quotient_nonnegative; lra.
Qed.

Theorem theorem_6__range : near_optimal.theorem_6__range.
Proof.
  intros v w s d k e Hd Hk Hdk He Hv Hw Hs Hv1 Hw1.
  pose proof (Rle_0_sqr (v - w)) as H; unfold Rsqr in H. split; [intros; nra |].
  destruct (Rlt_dec (IZR k) (IZR d)); [| lra].
  assert (0 <= 2 - sqrt ((v + w) ^ 2 - 4 * s ^ 2)) by (apply root_below; nra). nra.
Qed.

Theorem theorem_7__equal_logarithms : near_optimal.theorem_7__equal_logarithms.
Proof.
  intros d n e f s r eta Hd Hn He Hs Hf H1 Hr Hr1 Heta Heta1.
  assert (0 < 1 - r * r) by nra.
  replace (1 - s / f) with ((f - s) / f) by (field; lra).
  assert (0 < (f - s) / f) by (apply Rdiv_lt_0_compat; lra).
  repeat split; [lra | nra | nra |]. apply equation_holds. field. repeat split; lra.
Qed.

Theorem theorem_8__monotone : near_optimal.theorem_8__monotone.
Proof.
  intros l h v Hl Hv H. repeat split; try lra.
  replace (_ - _) with (v * (h - l) / ((v + h) * (v + l))) by (field; lra).
  apply quotient_nonnegative; [apply Rmult_le_pos | apply Rmult_lt_0_compat]; lra.
Qed.

Theorem theorem_8__choice_of_phi : near_optimal.theorem_8__choice_of_phi.
Proof.
  intros d Hd. pose proof (exp_pos (IZR d)) as E.
  assert (P : Rpower (exp (- 2 * (ln 8 + ln (1 + exp (IZR d))) / (IZR d - 2))) ((2 - IZR d) / 2) / 8 - 1 = exp (IZR d)).
  { unfold Rpower. rewrite ln_exp.
    replace ((2 - IZR d) / 2 * _) with (ln 8 + ln (1 + exp (IZR d))) by (field; lra).
    rewrite exp_plus, !exp_ln by lra. field. }
  rewrite P. repeat split; try lra; [apply exp_pos |]. apply equation_holds. apply ln_exp.
Qed.

Theorem lemma_11__lower_bound_for_draws : near_optimal.lemma_11__lower_bound_for_draws.
Proof.
  intros d phi l Hd Hp Hp1 Hl.
  assert (P : 0 < Rpower (1 - phi ^ 2) ((IZR d - 1) / 2)) by apply exp_pos.
  assert (1 / 2 < ln 2) by interval with (i_prec 60).
  set (p := Rpower _ _) in *. repeat split; try lra; [nra |].
  replace (_ - _) with (1 + l * (ln 2 - 1 / 2) / p) by (field; lra).
  assert (0 <= l * (ln 2 - 1 / 2) / p) by (apply quotient_nonnegative; nra). lra.
Qed.

Theorem lemma_11__half_of_the_draws_lost : near_optimal.lemma_11__half_of_the_draws_lost.
Proof.
  intros d phi Hd Hp Hp1. assert (Q : 0 < 1 - phi ^ 2) by nra.
  assert (S : 0 < sqrt (1 - phi ^ 2)) by now apply sqrt_lt_R0.
  assert (T : 0 < 1 / sqrt (1 - phi ^ 2)) by (apply Rdiv_lt_0_compat; lra).
  assert (P : 0 < Rpower (1 - phi ^ 2) ((IZR d - 1) / 2)) by apply exp_pos.
  repeat split; try lra. apply equation_holds.
  unfold Rdiv at 5. rewrite Rmult_1_l, ln_Rinv by assumption.
  rewrite <- Rpower_sqrt by assumption. unfold Rpower at 2. rewrite ln_exp.
  replace ((IZR d - 1) * - (/ 2 * ln (1 - phi ^ 2))) with (- ((IZR d - 1) / 2 * ln (1 - phi ^ 2))) by field.
  rewrite exp_Ropp. unfold Rpower in *. field. lra.
Qed.

Theorem lemma_18__survivors : near_optimal.lemma_18__survivors.
Proof.
  intros n l c Hn Hc H. pose proof (floor_between ((1 - l) * IZR n)). lra.
Qed.

Theorem theorem_5__gamma : near_optimal.theorem_5__gamma.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]].
  assert (0 < 2 * PI) by (pose proof PI_RGT_0; lra).
  assert (S : 0 < sqrt (2 * PI)) by now apply sqrt_lt_R0.
  assert (X : 0 < sqrt (exp 1)) by (apply sqrt_lt_R0, exp_pos).
  assert (E : sqrt (2 * PI * exp 1) = sqrt (2 * PI) * sqrt (exp 1)) by (apply sqrt_mult; [lra | apply Rlt_le, exp_pos]).
  rewrite E in H.
  assert (B : delta * (sqrt (2 * PI) * sqrt (exp 1)) < 3).
  { assert (Q := quotient_times 3 (sqrt (2 * PI) * sqrt (exp 1)) ltac:(nra)). nra. }
  assert (D : 0 < delta * 2 * sqrt (2 * PI)) by nra.
  assert (Y : sqrt (exp 1) < (IZR d ^ 2 + IZR d) / (delta * 2 * sqrt (2 * PI))).
  { enough (0 < (IZR d ^ 2 + IZR d) / (delta * 2 * sqrt (2 * PI)) - sqrt (exp 1)) by lra.
    apply quotient_above; [lra |]. assert (6 <= IZR d ^ 2 + IZR d) by nra. nra. }
  assert (L : 1 / 2 < ln ((IZR d ^ 2 + IZR d) / (delta * 2 * sqrt (2 * PI)))).
  { replace (1 / 2) with (ln (sqrt (exp 1))); [apply ln_increasing; lra |].
    rewrite <- Rpower_sqrt by apply exp_pos. unfold Rpower. rewrite !ln_exp. lra. }
  repeat split; try lra.
  enough (1 <= sqrt (2 * ln ((IZR d ^ 2 + IZR d) / (delta * 2 * sqrt (2 * PI))))) by lra.
  rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt. lra.
Qed.

Theorem theorem_15__phi_of_a_basis : near_optimal.theorem_15__phi_of_a_basis.
Proof.
  intros d Hd.
  assert (L : 0 < ln (8 * IZR d)) by (apply logarithm_positive; lra).
  set (t := - 2 * ln (8 * IZR d) / (IZR d - 1)).
  assert (T : t * (IZR d - 1) = - 2 * ln (8 * IZR d)) by (apply quotient_times; lra).
  assert (t < 0) by nra.
  assert (E : exp t < 1) by (rewrite <- exp_0; now apply exp_increasing).
  assert (S : sqrt (1 - exp t) ^ 2 = 1 - exp t) by (rewrite <- Rsqr_pow2; apply Rsqr_sqrt; lra).
  rewrite S. replace (1 - (1 - exp t)) with (exp t) by ring.
  assert (R : sqrt (exp t) = exp (t / 2)).
  { rewrite <- Rpower_sqrt by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. field. }
  rewrite R. pose proof (exp_pos t). pose proof (exp_pos (t / 2)).
  assert (0 < 1 / exp (t / 2)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra. apply equation_holds.
  unfold Rdiv at 1. rewrite Rmult_1_l, ln_Rinv, ln_exp by assumption.
  rewrite ln_mult in T by lra. lra.
Qed.
