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

Theorem lemma_16__power_of_two : near_optimal.lemma_16__power_of_two.
Proof.
  intros b _ Hb Hb1. pose proof (exponential_convex b (ln 2) Hb ltac:(lra)) as H. rewrite exp_ln in H; lra.
Qed.

Theorem lemma_11__count_by_lemma_18 : near_optimal.lemma_11__count_by_lemma_18.
Proof.
  intros d phi l Hd Hp Hp1 Hl Hl1.
  assert (P : 0 < Rpower (1 - phi ^ 2) ((IZR d - 1) / 2)) by apply exp_pos.
  assert (1 / 2 < ln 2) by interval with (i_prec 60).
  set (p := Rpower _ _) in *. repeat split; try lra; [nra |].
  pose proof (floor_between (- (1 + l * ln 2 / p))).
  apply Rge_le, Rge_minus, Rle_ge, floor_monotone.
  replace (l * (1 - l) / (2 * p)) with ((1 - l) * (l * (1 / 2) / p)) by (field; lra).
  apply Rmult_le_compat_l; [lra |].
  assert (0 <= l * (ln 2 - 1 / 2) / p) by (apply quotient_nonnegative; nra).
  replace (l * (ln 2 - 1 / 2) / p) with (l * ln 2 / p - l * (1 / 2) / p) in * by (field; lra). lra.
Qed.

Lemma pairs_are_whole n : IZR (Int_part ((IZR n ^ 2 + IZR n) / 2)) = (IZR n ^ 2 + IZR n) / 2.
Proof.
  assert (E : Z.even (n * (n + 1)) = true) by (rewrite Z.even_mul, Z.even_add; now destruct (Z.even n)).
  apply Z.even_spec in E as [k E]. apply (f_equal IZR) in E. rewrite !mult_IZR, plus_IZR in E.
  replace ((IZR n ^ 2 + IZR n) / 2) with (IZR k) by lra. now rewrite floor_of_integer.
Qed.

(* What theorem 5 takes the logarithm of. *)
Lemma pairs_above_delta d delta :
  0 <= d - 2 -> 0 < delta -> 0 < 1 - delta ->
  0 <= 2 * PI /\ 0 < delta * 2 * sqrt (2 * PI) /\ 1 < (d ^ 2 + d) / (delta * 2 * sqrt (2 * PI)).
Proof.
  intros Hd H H1. assert (2 < sqrt (2 * PI) < 3) as [] by (split; interval with (i_prec 60)).
  assert (0 < PI) by apply PI_RGT_0. assert (0 < delta * 2 * sqrt (2 * PI)) by nra. repeat split; try lra.
  enough (0 < (d ^ 2 + d) / (delta * 2 * sqrt (2 * PI)) - 1) by lra. apply quotient_above; nra.
Qed.

Lemma below_one delta : 0 < 3 / sqrt (2 * PI * exp 1) - delta -> 0 < 1 - delta.
Proof. assert (3 / sqrt (2 * PI * exp 1) < 1) by interval with (i_prec 60). lra. Qed.

(* With l the logarithm and s the root of theorem 5. *)
Ltac noise d delta l s :=
  let P := fresh "P" in let R := fresh "R" in
  destruct (pairs_above_delta (IZR d) delta) as (? & ? & R); [lra | lra | lra |];
  assert (0 < (IZR d ^ 2 + IZR d) / (delta * 2 * sqrt (2 * PI))) by lra;
  pose proof (logarithm_positive _ R) as P; set (l := ln ((IZR d ^ 2 + IZR d) / _)) in *;
  assert (0 < sqrt (2 * l)) by (apply sqrt_lt_R0; lra);
  assert (sqrt (2 * l) * sqrt (2 * l) = 2 * l) by (apply sqrt_sqrt; lra);
  set (s := sqrt (2 * l)) in *.

(* With v the root of epsilon, and epsilon its square. *)
Ltac square e v :=
  let E := fresh "E" in
  assert (0 < sqrt e) by (apply sqrt_lt_R0; lra); assert (E : e = sqrt e * sqrt e) by (symmetry; apply sqrt_sqrt; lra);
  set (v := sqrt e) in *; clearbody v; subst e.

Lemma root_at_most x l s v :
  0 <= x -> 0 <= s -> 0 < v -> s * s = 2 * l ->
  0 <= 2 * x ^ 2 * l + 4 * (v * v) /\ sqrt (2 * x ^ 2 * l + 4 * (v * v)) <= x * s + 2 * v.
Proof.
  intros Hx Hs Hv H. replace (2 * x ^ 2 * l) with (x * s * (x * s)) by (rewrite (Rmult_comm _ l); nra).
  assert (0 <= x * s) by nra. split; [nra |].
  enough (0 <= x * s + 2 * v - sqrt (x * s * (x * s) + 4 * (v * v))) by lra. apply root_below; nra.
Qed.

Theorem theorem_5__rearranged : near_optimal.theorem_5__rearranged.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]]. apply below_one in H. noise d delta l s.
  assert (0 < sqrt (2 * PI)) by nra.
  repeat split; try lra. apply equation_holds. rewrite pairs_are_whole.
  replace (- s * s / 2) with (- l) by lra. unfold l. rewrite exp_Ropp, exp_ln by assumption.
  field. repeat split; nra.
Qed.

Theorem theorem_5__quadratic : near_optimal.theorem_5__quadratic.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]]. apply below_one in H. noise d delta l s.
  assert (X : 2 * (IZR d + 1) ^ 2 * l + 4 * e = (IZR d + 1) * s * ((IZR d + 1) * s) + 4 * e) by nra.
  assert (0 < (IZR d + 1) * s) by nra. rewrite X.
  assert (Y : 0 < (IZR d + 1) * s * ((IZR d + 1) * s) + 4 * e) by nra.
  assert (Q := sqrt_sqrt _ (Rlt_le _ _ Y)). apply sqrt_lt_R0 in Y as Z.
  set (r := sqrt (_ + _)) in *. set (x := (IZR d + 1) * s) in *. clearbody r.
  assert (0 < 2 * IZR n * e) by nra. assert (0 < IZR n ^ 2) by nra.
  assert (B : 0 < (x + r) / (2 * IZR n * e)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < 2 * ((x + r) / (2 * IZR n * e)) * ((x + r) / (2 * IZR n * e))) by nra.
  repeat split; try lra. apply equation_holds.
  replace (2 / IZR n ^ 2) with ((r * r - x * x) / (2 * e * IZR n ^ 2)) by (rewrite Q; field; lra).
  unfold x. field. repeat split; try lra. fold x. lra.
Qed.

Theorem theorem_5__upper_bound : near_optimal.theorem_5__upper_bound.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]]. apply below_one in H. noise d delta l s.
  assert (0 < e * IZR n) by nra. square e v.
  destruct (root_at_most (IZR d + 1) l s v) as [N B]; try lra. set (r := sqrt (_ + _)) in *.
  repeat split; try lra.
  replace (_ - _) with (((IZR d + 1) * s + 2 * v - r) / (2 * (v * v * IZR n))) by (field; lra).
  apply quotient_nonnegative; lra.
Qed.

Theorem theorem_5__last_display : near_optimal.theorem_5__last_display.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]]. apply below_one in H. noise d delta l s.
  assert (0 < e * IZR n) by nra. square e v.
  destruct (root_at_most (IZR d + 1) l s v) as [N B]; try lra.
  assert (W : 0 < sqrt (v * v * IZR n)) by (apply sqrt_lt_R0; lra).
  assert (C : 0 <= v * IZR n - sqrt (v * v * IZR n)) by (apply root_below; nra).
  set (w := sqrt (_ * IZR n)) in *. set (r := sqrt (_ + _)) in *.
  assert (0 < v * IZR n * w) by (apply Rmult_lt_0_compat; nra).
  repeat split; try lra.
  replace (_ - _) with (((IZR d + 1) * s + 2 * v - r) / (2 * (v * v * IZR n)) + (v * IZR n - w) / (v * IZR n * w))
    by (field; lra).
  apply Rplus_le_le_0_compat; apply quotient_nonnegative; lra.
Qed.

Theorem theorem_5__less_noise_with_more_records : near_optimal.theorem_5__less_noise_with_more_records.
Proof.
  intros d n e delta Hd Hn He Hdelta [_ [_ H]]. apply below_one in H. noise d delta l s.
  assert (0 < sqrt e) by now apply sqrt_lt_R0.
  destruct (pairs_above_delta (IZR d + 1) delta) as (_ & _ & R'); try lra.
  assert (L : l <= ln (((IZR d + 1) ^ 2 + (IZR d + 1)) / (delta * 2 * sqrt (2 * PI)))).
  { apply Rlt_le, ln_increasing; [assumption |]. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra | nra]. }
  set (m := ln (((IZR d + 1) ^ 2 + _) / _)) in *.
  assert (S : s <= sqrt (2 * m)) by (apply sqrt_le_1_alt; lra). set (z := sqrt (2 * m)) in *.
  repeat split; try lra.
  assert (0 < (IZR d + 1) / e * s) by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra).
  assert (0 < 1 / sqrt e) by (apply Rdiv_lt_0_compat; lra).
  apply Rmin_glb_lt.
  - set (b := (IZR d + 1) / e * s + _) in *. replace (_ - _) with (b / (IZR n * (IZR n + 1))) by (field; lra).
    apply Rdiv_lt_0_compat; [unfold b; lra | nra].
  - replace (_ - _) with (((IZR d + 1) * (z - s) + z) / (e * IZR n)) by (field; lra).
    assert (0 <= (IZR d + 1) * (z - s)) by (apply Rmult_le_pos; lra). apply Rdiv_lt_0_compat; nra.
Qed.

Theorem figure_5__noise_vanishes : near_optimal.figure_5__noise_vanishes.
Proof.
  intros d n e delta Hd Hn Hdelta H1 He [HP [HD [HR HL]]]. rewrite sqrt_1.
  set (l := ln _) in *. pose proof (sqrt_pos (2 * l)). set (s := sqrt (2 * l)) in *.
  assert (1 <= sqrt e) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra). square e v.
  repeat split; try lra.
  replace (_ - _) with ((IZR d + 1) * s * (v - 1) / (v * v * IZR n)) by (field; lra).
  apply quotient_nonnegative; [repeat apply Rmult_le_pos | repeat apply Rmult_lt_0_compat]; lra.
Qed.

Theorem theorem_7__inside_exponent : near_optimal.theorem_7__inside_exponent.
Proof.
  intros n e l1 l2 l3 w1 w2 w3 r Hn He Hl Hw H1 Hr Hr1 H. cases. apply Rmult_le_pos; [nra |]. nra.
Qed.

Theorem theorem_7__outside_exponent : near_optimal.theorem_7__outside_exponent.
Proof.
  intros n e l1 l2 l3 w1 w2 w3 r Hn He Hl Hw H1 Hr Hr1 H. cases. apply Rmult_le_pos; [nra |]. nra.
Qed.

Theorem theorem_7__logarithm : near_optimal.theorem_7__logarithm.
Proof.
  intros d n e f s r eta Hd Hn He Hs Hf H1 Hr Hr1 Heta Heta1.
  assert (R : 0 < 1 - r * r < 1) by nra.
  assert (Q : 0 < (f - s) / f <= 1).
  { split; [apply Rdiv_lt_0_compat; lra |]. enough (0 <= 1 - (f - s) / f) by lra. apply quotient_below; lra. }
  replace (1 - s / f) with ((f - s) / f) by (field; lra). replace (r ^ 2) with (r * r) by ring.
  set (q := (f - s) / f) in *.
  assert (D : 0 < (1 - r * r) * (f - s)) by (apply Rmult_lt_0_compat; lra).
  assert (E : 8 * f / ((1 - r * r) * (f - s)) = 4 / ((1 - r * r) * q / 2)).
  { unfold q. field. repeat split; lra. }
  assert (U : 0 < (1 - r * r) * q / 2 < 1) by nra.
  set (u := (1 - r * r) * q / 2) in *.
  assert (S := sqrt_sqrt (1 - u) ltac:(lra)). pose proof (sqrt_pos (1 - u)).
  set (sigma := sqrt (1 - u)) in *. assert (sigma < 1) by nra.
  assert (0 < 8 * f / ((1 - r * r) * (f - s))) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < 2 / (1 - sigma)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra. rewrite E in *.
  enough (ln (2 / (1 - sigma)) < ln (4 / u)) by lra. apply ln_increasing; [assumption |].
  enough (0 < 4 / u - 2 / (1 - sigma)) by lra.
  replace (4 / u - 2 / (1 - sigma)) with ((4 * (1 - sigma) - 2 * u) / (u * (1 - sigma))) by (field; lra).
  apply Rdiv_lt_0_compat; nra.
Qed.

Theorem theorem_7__sufficient : near_optimal.theorem_7__sufficient.
Proof.
  intros d n e f s r eta Hd Hn He Hs Hf H1 Hr Hr1 Heta Heta1 [_ [_ [_ [_ [P H]]]]].
  assert (0 < 1 - r ^ 2 < 1) by nra.
  assert (D : 0 < (1 - r ^ 2) * (f - s)) by (apply Rmult_lt_0_compat; lra).
  repeat split; try lra.
  assert (L : 0 < ln (8 * f / ((1 - r ^ 2) * (f - s)))).
  { apply logarithm_positive. enough (0 < 8 * f / ((1 - r ^ 2) * (f - s)) - 1) by lra.
    apply quotient_above; [assumption |]. enough (0 <= r ^ 2 * (f - s)) by lra. apply Rmult_le_pos; lra. }
  assert (N : ln eta <= 0) by (apply logarithm_nonpositive; lra).
  set (l := ln (8 * f / _)) in *. set (m := ln eta) in *.
  replace (IZR n - _) with ((IZR n * e * (1 - r) * (f - s) - (- 4 * m + 2 * IZR d * l)) / (e * (1 - r) * (f - s)))
    in H by (field; repeat split; lra).
  assert (C : 0 < e * (1 - r) * (f - s)) by (repeat apply Rmult_lt_0_compat; lra).
  apply (Rmult_lt_compat_r _ _ _ C) in H. rewrite quotient_times, Rmult_0_l in H by lra.
  assert (0 <= IZR d * l) by (apply Rmult_le_pos; lra).
  assert (0 <= r * (- 4 * m + 2 * IZR d * l)) by (apply Rmult_le_pos; lra).
  pose proof (Rmult_lt_0_compat ((1 + r) / 4) _ ltac:(lra) H). lra.
Qed.

Lemma share_positive d : 0 <= IZR d - 3 -> 0 < exp (- 2 * (ln 8 + ln (1 + exp (IZR d))) / (IZR d - 2)) < 1.
Proof.
  intros Hd. pose proof (exp_pos (IZR d)). assert (0 < ln (1 + exp (IZR d))) by (apply logarithm_positive; lra).
  assert (0 < ln 8) by (apply logarithm_positive; lra). split; [apply exp_pos |].
  set (t := - 2 * _ / (IZR d - 2)).
  assert (T : t * (IZR d - 2) = - 2 * (ln 8 + ln (1 + exp (IZR d)))) by (apply quotient_times; lra).
  pose proof (exponential_strictly_below t ltac:(nra)). lra.
Qed.

Lemma logarithm_of_size f s p decay :
  0 <= s -> 0 < f - s -> 0 < p < 1 -> 0 < decay ->
  0 < 8 * f / (f - s) /\ 1 <= 2 * (ln (8 * f / (f - s)) + decay - ln (2 - p)).
Proof.
  intros Hs Hf Hp Hd. assert (Q : 0 <= 8 * f / (f - s) - 8).
  { replace (8 * f / (f - s) - 8) with (8 * s / (f - s)) by (field; lra). apply quotient_nonnegative; lra. }
  split; [lra |]. pose proof (logarithm_below (2 - p) ltac:(lra)). assert (2 < ln 8) by interval with (i_prec 60).
  enough (ln 8 <= ln (8 * f / (f - s))) by lra.
  destruct Q as [Q | Q]; [apply Rlt_le, ln_increasing; lra | right; f_equal; lra].
Qed.

(* The sizes of theorems 7 and 8, with c for 1 - phi, p for 1 - rho, and g <= 4 a and b for the logarithms. *)
Ltac sizes d f s eta decay c p a b g :=
  destruct (share_positive d) as [? ?]; [assumption |]; pose proof (exp_pos (IZR d));
  set (c := exp (_ / (IZR d - 2))) in *;
  assert (0 < 1 - exp (- decay)) by (apply exponential_strictly_below; lra); pose proof (exp_pos (- decay));
  set (p := exp (- decay)) in *; clearbody p c;
  destruct (logarithm_of_size f s p decay) as [? ?]; [lra | lra | lra | lra |]; set (b := 2 * (_ - ln (2 - p))) in *;
  assert (0 < 1 / eta) by (apply Rdiv_lt_0_compat; lra);
  assert (0 <= ln (1 / eta)) by (rewrite logarithm_of_inverse by lra; pose proof (logarithm_below eta); lra);
  set (a := ln (1 / eta)) in *;
  assert (0 <= 4 * a / IZR d) by (apply quotient_nonnegative; lra);
  assert (0 <= 4 * a - 4 * a / IZR d) by (apply quotient_below; nra);
  set (g := 4 * a / IZR d) in *.

Theorem theorem_7__same_in_dimension : near_optimal.theorem_7__same_in_dimension.
Proof.
  intros d f s eta decay Hd Hs Hf H1 Heta Heta1 Hdecay. sizes d f s eta decay c p a b g.
  assert (0 < c / (80 * p)) by (apply Rdiv_lt_0_compat; lra).
  assert (S := sqrt_sqrt (c / (80 * p)) ltac:(lra)). pose proof (sqrt_pos (c / (80 * p))).
  set (r := sqrt _) in *. assert (Q := quotient_times c (80 * p) ltac:(lra)). rewrite <- S in Q.
  assert (p * r <= 1) by nra.
  assert (M : p <= p * Rmax 1 r <= 1) by (unfold Rmax; destruct (Rle_dec 1 r); nra).
  set (q := p * Rmax 1 r) in *. repeat split; try lra. apply Rmin_glb.
  - replace (_ - 1) with ((g + b - q) / q) by (field; lra). apply quotient_nonnegative; lra.
  - replace (_ - _) with ((4 * a - g) / p + (g + b) * (q - p) / (p * q)) by (field; lra).
    apply Rplus_le_le_0_compat; apply quotient_nonnegative; nra.
Qed.

Theorem theorem_7__square_root_in_the_correlation : near_optimal.theorem_7__square_root_in_the_correlation.
Proof.
  intros d f s eta decay Hd Hs Hf H1 Heta Heta1 Hdecay. sizes d f s eta decay c p a b g.
  assert (0 < c * p) by nra.
  assert (0 < c / (80 * p)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < 80 / (c * p)) by (apply Rdiv_lt_0_compat; lra).
  assert (W : sqrt (80 / (c * p)) * sqrt (c / (80 * p)) * p = 1).
  { rewrite <- sqrt_mult by lra.
    replace (80 / (c * p) * (c / (80 * p))) with (Rsqr (1 / p)) by (unfold Rsqr; field; lra).
    rewrite sqrt_Rsqr by (apply quotient_nonnegative; lra). field. lra. }
  pose proof (sqrt_pos (c / (80 * p))). set (r := sqrt (c / _)) in *.
  pose proof (sqrt_pos (80 / (c * p))). set (w := sqrt (80 / _)) in *.
  assert (M : p <= p * Rmax 1 r /\ p * r <= p * Rmax 1 r) by (unfold Rmax; destruct (Rle_dec 1 r); nra).
  set (q := p * Rmax 1 r) in *. repeat split; try lra. apply quotient_below; [lra |].
  assert (1 <= w * q) by nra. assert (4 * a + b <= (4 * a + b) * (w * q)) by nra. lra.
Qed.

(* The bound rises with the dimension once log(1 + exp d) is replaced by d + exp(-m) for m <= d. *)
Lemma share_above m d :
  2 < m -> m <= IZR d ->
  0 < 1 + exp (IZR d) /\
  exp (- 2 * (ln 8 + m + exp (- m)) / (m - 2)) <= exp (- 2 * (ln 8 + ln (1 + exp (IZR d))) / (IZR d - 2)).
Proof.
  intros Hm Hd. pose proof (exp_pos (IZR d)). split; [lra |]. apply exponential_monotone.
  assert (L : ln (1 + exp (IZR d)) <= IZR d + exp (- m)).
  { replace (1 + exp (IZR d)) with (exp (IZR d) * (1 + exp (- IZR d)))
      by (rewrite Rmult_plus_distr_l, <- exp_plus, Rplus_opp_r, exp_0; ring).
    pose proof (exp_pos (- IZR d)). rewrite ln_mult, ln_exp by lra.
    pose proof (logarithm_below (1 + exp (- IZR d)) ltac:(lra)).
    pose proof (exponential_monotone (- IZR d) (- m) ltac:(lra)). lra. }
  assert (0 < ln 8) by (apply logarithm_positive; lra). pose proof (exp_pos (- m)).
  set (k := ln (1 + _)) in *. set (u := exp (- m)) in *. set (h := ln 8) in *.
  enough (0 <= - 2 * (h + k) / (IZR d - 2) - - 2 * (h + m + u) / (m - 2)) by lra.
  replace (_ - _) with (2 * ((IZR d - m) * (h + 2 + u) + (IZR d + u - k) * (m - 2)) / ((IZR d - 2) * (m - 2)))
    by (field; lra).
  apply quotient_nonnegative; [| nra].
  assert (0 <= (IZR d - m) * (h + 2 + u)) by (apply Rmult_le_pos; lra).
  assert (0 <= (IZR d + u - k) * (m - 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem theorem_8__bound_for_d_at_least_3 : near_optimal.theorem_8__bound_for_d_at_least_3.
Proof.
  intros d Hd. destruct (share_above 3 d) as [E H]; try lra. repeat split; try lra.
  assert (7 / 200000 < exp (- 2 * (ln 8 + 3 + exp (- (3))) / (3 - 2))) by interval with (i_prec 60). lra.
Qed.

Theorem theorem_8__bound_for_d_at_least_100 : near_optimal.theorem_8__bound_for_d_at_least_100.
Proof.
  intros d Hd. destruct (share_above 100 d) as [E H]; try lra. repeat split; try lra.
  assert (3 / 25 < exp (- 2 * (ln 8 + 100 + exp (- (100))) / (100 - 2))) by interval with (i_prec 60). lra.
Qed.

Theorem theorem_8__solved_for_n : near_optimal.theorem_8__solved_for_n.
Proof.
  intros d n e g rho c Hd Hn He Hg Hc Hr [_ H].
  assert (0 < e * g) by nra. assert (0 < c / (80 * (1 - rho))) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra.
  assert (S := sqrt_sqrt (c / (80 * (1 - rho))) ltac:(lra)). pose proof (sqrt_pos (c / (80 * (1 - rho)))).
  set (r := sqrt _) in *. assert (Q := quotient_times c (80 * (1 - rho)) ltac:(lra)). rewrite <- S in Q.
  replace (IZR d / (IZR n * e * g)) with (IZR d / (e * g) / IZR n) in H by (field; lra).
  set (x := IZR d / (e * g)) in *. assert (X := quotient_times x (IZR n) ltac:(lra)).
  set (z := x / IZR n) in *. rewrite <- X, <- Q in *.
  assert (K : 0 < 1 - r * z * (r * z)) by (apply (Rmult_lt_reg_l (1 - rho)); lra).
  assert (r * z < 1) by nra. nra.
Qed.

(* A root of 1 minus the square of sqrt (1 - exp t) is exp (t / 2). *)
Lemma cosine_of_sine t : t <= 0 -> 0 <= 1 - exp t /\ 1 - sqrt (1 - exp t) ^ 2 = exp t /\ sqrt (exp t) = exp (t / 2).
Proof.
  intros H. pose proof (exponential_below t H) as E. repeat split; [exact E | |].
  - rewrite <- Rsqr_pow2, Rsqr_sqrt by assumption. ring.
  - rewrite <- Rpower_sqrt by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. field.
Qed.

Lemma logarithms_of_powers : ln 4 = 2 * ln 2 /\ ln 8 = 3 * ln 2 /\ ln 256 = 8 * ln 2.
Proof.
  replace 4 with (2 * 2) by lra. replace 8 with (2 * 2 * 2) at 1 by lra.
  replace 256 with (2 * 2 * 2 * 2 * (2 * 2 * 2 * 2)) by lra. rewrite !ln_mult by lra. repeat split; lra.
Qed.

Lemma noise_positive d n e s :
  0 <= IZR d - 2 -> 0 <= IZR n - 1 -> 0 < e -> 0 < s -> 0 < ((IZR d + 1) / e * s + 1 / sqrt e) / IZR n.
Proof.
  intros Hd Hn He Hs. assert (0 < sqrt e) by now apply sqrt_lt_R0.
  assert (0 < (IZR d + 1) / e * s) by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra).
  assert (0 < 1 / sqrt e) by (apply Rdiv_lt_0_compat; lra). apply Rdiv_lt_0_compat; lra.
Qed.

(* With b the noise of (5) and y the inverse of its square. *)
Ltac noise_level d n e s b y :=
  pose proof (noise_positive d n e s ltac:(assumption) ltac:(assumption) ltac:(assumption) ltac:(assumption));
  assert (0 < sqrt e) by (apply sqrt_lt_R0; assumption);
  set (b := (_ + 1 / sqrt e) / IZR n) in *; assert (0 < b ^ 2) by (simpl; nra);
  assert (0 < 1 / b ^ 2) by (apply Rdiv_lt_0_compat; lra); set (y := 1 / b ^ 2) in *.

Theorem theorem_15__phi_where_it_is_vacuous : near_optimal.theorem_15__phi_where_it_is_vacuous.
Proof.
  intros d n e delta _ Hd Hn He Hdelta H. noise d delta l s. noise_level d n e s b y.
  destruct logarithms_of_powers as (_ & L8 & L256). assert (0 < ln 2) by (apply logarithm_positive; lra).
  set (t := - (2 * y + ln 256) / (IZR d - 1)).
  assert (T : t * (IZR d - 1) = - (2 * y + ln 256)) by (apply quotient_times; lra).
  destruct (cosine_of_sine t ltac:(nra)) as (N & C & R). rewrite C, R.
  pose proof (exp_pos t). pose proof (exp_pos (t / 2)). rewrite logarithm_of_inverse, ln_exp by assumption.
  assert (0 < 1 / exp (t / 2)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra. apply equation_holds. lra.
Qed.

Theorem theorem_9__admissible : near_optimal.theorem_9__admissible.
Proof.
  intros d n e delta Hd Hn He Hdelta H A. repeat apply proj2 in A. noise d delta l s. noise_level d n e s b y.
  destruct logarithms_of_powers as (L4 & L8 & _). assert (0 < ln 2) by (apply logarithm_positive; lra).
  unfold Rdiv in A. rewrite ln_mult, ln_Rinv in A by lra.
  assert (0 < ln (IZR d)) by (apply logarithm_positive; lra).
  assert (E : ln (8 * IZR d) = ln 8 + ln (IZR d)) by (apply ln_mult; lra). rewrite E.
  set (t := - 2 * (2 * (y + ln 2) + ln 8) / (IZR d - 1)). set (u := - 2 * _ / (IZR d - 1)).
  assert (T : t * (IZR d - 1) = - 2 * (2 * (y + ln 2) + ln 8)) by (apply quotient_times; lra).
  assert (U : u * (IZR d - 1) = - 2 * (ln 8 + ln (IZR d))) by (apply quotient_times; lra).
  assert (t <= u) by nra. assert (u <= 0) by nra.
  pose proof (exponential_below t ltac:(lra)). pose proof (exponential_below u ltac:(lra)).
  pose proof (exponential_monotone t u ltac:(lra)).
  repeat split; try lra. enough (sqrt (1 - exp u) <= sqrt (1 - exp t)) by lra. apply sqrt_le_1_alt. lra.
Qed.

Theorem theorem_9__bracket_at_phi : near_optimal.theorem_9__bracket_at_phi.
Proof.
  intros d n e delta Hd Hn He Hdelta H. noise d delta l s. noise_level d n e s b y.
  destruct logarithms_of_powers as (_ & L8 & _). assert (0 < ln 2) by (apply logarithm_positive; lra).
  set (t := - 2 * (2 * (y + ln 2) + ln 8) / (IZR d - 1)).
  assert (T : t * (IZR d - 1) = - 2 * (2 * (y + ln 2) + ln 8)) by (apply quotient_times; lra).
  destruct (cosine_of_sine t ltac:(nra)) as (N & C & R). rewrite C, R.
  pose proof (exp_pos t). pose proof (exp_pos (t / 2)). rewrite logarithm_of_inverse, ln_exp by assumption.
  assert (0 < 1 / exp (t / 2)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 <= 1 - sqrt (1 - exp t)) by (apply root_below; lra).
  replace ((IZR d - 1) * - (t / 2) - ln 8) with (2 * (y + ln 2)) by lra.
  repeat split; try lra. apply equation_holds. field. lra.
Qed.
