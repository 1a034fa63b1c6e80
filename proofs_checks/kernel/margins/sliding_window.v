(* Statements about `sliding-window` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz Lia.
From Interval Require Import Tactic.
From DPMatrix.generated Require sliding_window.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_19__additive_error : sliding_window.theorem_19__additive_error.
Proof. margin. Qed.

Theorem theorem_19__off_diagonal : sliding_window.theorem_19__off_diagonal.
Proof. margin. Qed.

Theorem theorem_6__equation_20 : sliding_window.theorem_6__equation_20.
Proof. margin. Qed.

Theorem theorem_8__combination : sliding_window.theorem_8__combination.
Proof. margin. Qed.

Theorem theorem_4__semidefinite_noise : sliding_window.theorem_4__semidefinite_noise.
Proof.
  intros d e delta Hd He H H1. assert (Q := quotient_times 4 delta ltac:(lra)).
  assert (1 < 4 / delta) by nra. assert (0 < e ^ 2) by nra. pose proof (logarithm_positive (4 / delta) ltac:(lra)).
  assert (0 <= 14 * ln (4 / delta) / e ^ 2) by (apply quotient_nonnegative; lra). repeat split; lra.
Qed.

Lemma whole_below z x : IZR z <= x -> IZR z <= IZR (Int_part x).
Proof.
  intros H. pose proof (floor_between x). assert (z < Int_part x + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra).
  apply IZR_le. lia.
Qed.

Theorem theorem_3__testing_cost : sliding_window.theorem_3__testing_cost.
Proof.
  intros n i m d Hi Hn Hm Hd.
  assert (A : IZR (2 * d) <= IZR (Int_part (IZR d * (IZR d + 1) / 2))).
  { apply whole_below. rewrite mult_IZR. nra. }
  assert (B : IZR 4 <= IZR (Int_part (IZR d * (IZR d ^ 2 - 1) / 6))).
  { apply whole_below. assert (8 <= IZR d ^ 2 - 1) by nra. assert (24 <= IZR d * (IZR d ^ 2 - 1)) by nra. lra. }
  rewrite mult_IZR in A. set (a := IZR (Int_part (IZR d * (IZR d + 1) / 2))) in *.
  set (b := IZR (Int_part (IZR d * (IZR d ^ 2 - 1) / 6))) in *.
  set (k := IZR n - 1 - IZR i) in *. replace (IZR n - IZR i) with (k + 1) by (unfold k; ring).
  assert (1 <= k) by (unfold k; lra). clearbody a b k.
  assert (IZR m * (2 * IZR d) <= IZR m * a) by (apply Rmult_le_compat_l; lra).
  assert (0 <= IZR m * IZR d) by (apply Rmult_le_pos; lra).
  assert (k * (2 * (IZR m * IZR d) + 4) <= k * (IZR m * a + b)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= (k - 1) * (IZR m * IZR d)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma hundred_to_theta t : 0 <= IZR t - 1 -> 100 <= powerRZ 100 t.
Proof.
  intros H. assert (0 <= t - 1)%Z by (apply le_IZR; rewrite minus_IZR; lra).
  replace t with (1 + (t - 1))%Z by lia. rewrite powerRZ_add by lra. rewrite powerRZ_1.
  destruct (IZN (t - 1)) as [n ->]; [assumption |]. rewrite <- pow_powerRZ.
  pose proof (pow_R1_Rle 100 n ltac:(lra)). lra.
Qed.

(* The columns of the matrix: a = k l/(20 eta) <= d/2 of them. *)
Lemma columns_at_least k l e d : 0 < k -> 1 <= l -> 0 < e -> e < 1 -> 0 <= d / 2 - k * l / (20 * e) ->
  0 < k * l / (20 * e) /\ k / 10 <= d / l.
Proof.
  intros Hk Hl He He1 H. assert (0 < k * l) by nra. split; [apply Rdiv_lt_0_compat; lra |].
  apply Rmult_le_reg_r with l; [lra |]. rewrite quotient_times by lra.
  assert (k * l / 20 <= k * l / (20 * e)); [| lra].
  apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra.
Qed.

Theorem theorem_19__error_second_line : sliding_window.theorem_19__error_second_line.
Proof.
  intros w d r b t e c Hw Hd Hr Hb Ht Htb He He1 [_ H1] [_ H2]. pose proof (hundred_to_theta t Ht).
  destruct (columns_at_least (IZR r) (IZR b) e (IZR d) ltac:(lra) ltac:(lra) He ltac:(lra) H1) as [A _].
  set (a := IZR r * IZR b / (20 * e)) in *. set (p := powerRZ 100 t) in *. repeat split; try lra.
  replace (_ - _) with (p * (2 * (IZR w * IZR d) - (100 / 99 * a - IZR r) * (IZR w - a)) / IZR b) by (field; lra).
  apply quotient_nonnegative; [| lra]. apply Rmult_le_pos; [lra |].
  assert ((100 / 99 * a - IZR r) * (IZR w - a) <= 100 / 99 * a * (IZR w - a)) by (apply Rmult_le_compat_r; lra).
  assert (a * (IZR w - a) <= IZR d / 2 * IZR w) by (apply Rmult_le_compat; lra). nra.
Qed.

Lemma whole_power t r : 0 <= IZR t - 1 -> 0 <= IZR r - 1 ->
  0 <= powerRZ 100 t * IZR r /\
  powerRZ 100 t * IZR r - 1 < IZR (Int_part (powerRZ 100 t * IZR r)) <= powerRZ 100 t * IZR r.
Proof. intros Ht Hr. pose proof (hundred_to_theta t Ht). split; [nra | apply floor_between]. Qed.

(* tau = 2 100^theta W d/l is at least 100^theta k W/5. *)
Lemma tau_at_least p w d b r : 100 <= p -> 2 <= w -> 1 <= b -> 1 <= r -> r / 10 <= d / b ->
  p * r * w / 5 <= 2 * p * w * d / b.
Proof.
  intros Hp Hw Hb Hr H. replace (2 * p * w * d / b) with (2 * (p * w) * (d / b)) by (field; lra).
  assert (0 <= p * w) by nra. nra.
Qed.

Theorem theorem_19__large_psi : sliding_window.theorem_19__large_psi.
Proof.
  intros w d r b t e c Hw Hd Hr Hb Ht Htb He He1 [_ H1] [_ H2]. pose proof (hundred_to_theta t Ht) as P.
  destruct (columns_at_least (IZR r) (IZR b) e (IZR d) ltac:(lra) ltac:(lra) He ltac:(lra) H1) as [A B].
  destruct (whole_power t r Ht Hr) as [F0 F].
  pose proof (tau_at_least _ (IZR w) (IZR d) (IZR b) (IZR r) P ltac:(lra) ltac:(lra) ltac:(lra) B) as T.
  set (a := IZR r * IZR b / (20 * e)) in *. set (f := IZR (Int_part (powerRZ 100 t * IZR r))) in *.
  set (p := powerRZ 100 t) in *. repeat split; try lra. destruct (Rlt_dec _ _); [lra |].
  set (u := 2 * p * IZR w * IZR d / IZR b) in *. assert (0 <= u ^ 2) by apply pow2_ge_0.
  assert (1 <= IZR r * IZR w) by nra. assert (100 * (IZR r * IZR w) <= p * (IZR r * IZR w)) by nra.
  assert (0 <= 109 / 990 * (IZR w - a) * f) by (apply Rmult_le_pos; nra). lra.
Qed.

Theorem theorem_19__large_root : sliding_window.theorem_19__large_root.
Proof.
  intros w d r b t e c Hw Hd Hr Hb Ht Htb He He1 [_ H1] [_ H2]. pose proof (hundred_to_theta t Ht) as P.
  destruct (columns_at_least (IZR r) (IZR b) e (IZR d) ltac:(lra) ltac:(lra) He ltac:(lra) H1) as [A B].
  destruct (whole_power t r Ht Hr) as [F0 F].
  pose proof (tau_at_least _ (IZR w) (IZR d) (IZR b) (IZR r) P ltac:(lra) ltac:(lra) ltac:(lra) B) as T.
  set (a := IZR r * IZR b / (20 * e)) in *. set (f := IZR (Int_part (powerRZ 100 t * IZR r))) in *.
  set (p := powerRZ 100 t) in *. repeat split; try lra. destruct (Rlt_dec _ _); [lra |].
  set (u := 2 * p * IZR w * IZR d / IZR b) in *.
  assert (2 <= IZR r * IZR w) by nra. assert (2 * p <= p * (IZR r * IZR w)) by nra.
  assert (2 / 5 * p <= u) by lra. assert (40 * u <= u ^ 2) by nra.
  assert (0 <= 109 / 990 * (IZR w - a) * f) by (apply Rmult_le_pos; nra). lra.
Qed.

Theorem theorem_19__third_line : sliding_window.theorem_19__third_line.
Proof.
  intros w d r b t e c Hw Hd Hr Hb Ht Htb He He1 [_ H1] [_ H2]. destruct (whole_power t r Ht Hr) as [F0 F].
  set (a := IZR r * IZR b / (20 * e)) in *. set (f := IZR (Int_part (powerRZ 100 t * IZR r))) in *.
  set (p := powerRZ 100 t) in *. repeat split; try lra. destruct (Rlt_dec _ _); [lra |].
  replace (_ - _) with ((IZR w - a) * (p * IZR r / 5 - 109 / 990 * f)) by (field; lra). apply Rmult_le_pos; lra.
Qed.

Theorem lemma_2__equation_10 : sliding_window.lemma_2__equation_10.
Proof. margin. Qed.

Theorem lemma_2__equation_11 : sliding_window.lemma_2__equation_11.
Proof. margin. Qed.

Theorem lemma_2__equation_12 : sliding_window.lemma_2__equation_12.
Proof. margin. Qed.

Theorem lemma_5__rearrangement : sliding_window.lemma_5__rearrangement.
Proof. margin. Qed.

Theorem theorem_7__equation_25 : sliding_window.theorem_7__equation_25.
Proof. margin. Qed.

Theorem proposition_10__left_expansion : sliding_window.proposition_10__left_expansion.
Proof. margin. Qed.

Theorem proposition_10__expansions_in_order : sliding_window.proposition_10__expansions_in_order.
Proof. margin. Qed.

Theorem proposition_10__right_expansion : sliding_window.proposition_10__right_expansion.
Proof. margin. Qed.

Theorem theorem_14__equation_38 : sliding_window.theorem_14__equation_38.
Proof. margin. Qed.

Theorem theorem_14__equation_41 : sliding_window.theorem_14__equation_41.
Proof. margin. Qed.

Theorem theorem_15__inner_product : sliding_window.theorem_15__inner_product.
Proof. margin. Qed.

Theorem theorem_19__diagonal : sliding_window.theorem_19__diagonal.
Proof. margin. Qed.

Theorem theorem_19__two_thirds : sliding_window.theorem_19__two_thirds.
Proof. margin. Qed.

Theorem notation_facts__normal_density : sliding_window.notation_facts__normal_density.
Proof.
  intros z s Hs. pose proof PI_RGT_0.
  assert (0 < sqrt PI) by now apply sqrt_lt_R0. assert (0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (E : sqrt (2 * PI) = sqrt 2 * sqrt PI) by (apply sqrt_mult; lra). rewrite E.
  assert (T : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  assert (Z : (z / sqrt 2) ^ 2 = z ^ 2 / 2).
  { replace ((z / sqrt 2) ^ 2) with (z ^ 2 / (sqrt 2 * sqrt 2)) by (field; lra). now rewrite T. }
  rewrite Z. replace (- (z ^ 2 / 2)) with (- z ^ 2 / 2) by field.
  assert (0 < sqrt 2 * sqrt PI) by nra. repeat split; try lra; try nra.
  apply equation_holds. field. repeat split; lra.
Qed.

Lemma enlarged e f s n :
  0 <= s - (1 - e) * f -> 0 <= (1 + e / 4) * f - n -> 0 <= e -> 0 < 1 - e -> 0 <= (1 + e / 4) / (1 - e) * s - n.
Proof.
  intros H1 H2 He He1. assert (Q := quotient_times (1 + e / 4) (1 - e) ltac:(lra)).
  assert (0 < (1 + e / 4) / (1 - e)) by (apply Rdiv_lt_0_compat; lra).
  set (q := (1 + e / 4) / (1 - e)) in *.
  assert (H3 : q * ((1 - e) * f) <= q * s) by (apply Rmult_le_compat_l; lra).
  replace (q * ((1 - e) * f)) with (q * (1 - e) * f) in H3 by ring. rewrite Q in H3. lra.
Qed.

Theorem lemma_2__equation_13 : sliding_window.lemma_2__equation_13.
Proof.
  intros f s nf ns w e r H1 H2 He He1. cases. apply enlarged with (f + r); lra.
Qed.

Theorem lemma_2__equation_14 : sliding_window.lemma_2__equation_14.
Proof.
  intros f s nf ns w e r H0 H1 H2 He He1. cases. apply enlarged with (f + r); lra.
Qed.

Theorem lemma_4__equation_15 : sliding_window.lemma_4__equation_15.
Proof.
  intros w e c Hw He He1 Hc.
  assert (0 < ln (IZR w)) by (apply logarithm_positive; lra).
  assert (ln (1 - e / 2) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  repeat split; try lra.
  replace (_ - _) with (2 * c * ln (IZR w) / e + c * ln (IZR w) / - ln (1 - e / 2)) by (field; lra).
  apply Rplus_le_le_0_compat; apply quotient_nonnegative; try lra; repeat apply Rmult_le_pos; lra.
Qed.

Theorem corollary_1__factor : sliding_window.corollary_1__factor.
Proof. intros r e a d c He He1. split; [lra |]. apply quotient_below; nra. Qed.

Theorem proposition_10 : sliding_window.proposition_10.
Proof. intros e He. split; [lra |]. apply quotient_above; nra. Qed.

Theorem theorem_7__combination_with_gamma : sliding_window.theorem_7__combination_with_gamma.
Proof.
  intros ch b sc sb sl e g x c He Hg H1 H2 [Hn H3]. split; [exact Hn |].
  replace ((1 + e) / (1 - e) * g * (b + x)) with ((1 + e) * g * ((b + x) / (1 - e))) by (field; exact Hn).
  assert ((1 + e) * g * sl <= (1 + e) * g * ((b + x) / (1 - e))); [| lra].
  apply Rmult_le_compat_l; [apply Rmult_le_pos |]; lra.
Qed.

Theorem theorem_16__combination : sliding_window.theorem_16__combination.
Proof.
  intros s ch l e x Hl He He1 [Hn H1] H2.
  assert (Q := quotient_times l (1 - e) Hn).
  assert (0 <= l / (1 - e)) by (apply quotient_nonnegative; lra).
  set (q := l / (1 - e)) in *.
  assert (0 <= q * (e * (1 - 2 * e))) by (apply Rmult_le_pos; [assumption | apply Rmult_le_pos; lra]). nra.
Qed.

Theorem theorem_19__encoded_bits : sliding_window.theorem_19__encoded_bits.
Proof.
  intros w d r b e c Hw Hd Hr Hb He He1 [_ H]. repeat split; try lra.
  replace (IZR w * IZR r * IZR b / (40 * e)) with (IZR w / 2 * (IZR r * IZR b / (20 * e))) by (field; lra).
  assert (0 <= IZR r * IZR b / (20 * e)) by (apply quotient_nonnegative; nra). nra.
Qed.

Theorem theorem_19__last_line : sliding_window.theorem_19__last_line.
Proof.
  intros w d r b e c Hw Hd Hr Hb He He1 [_ [_ H1]] [_ H2]. repeat split; try lra.
  assert (0 <= ln (IZR w)) by (apply logarithm_nonnegative; lra).
  assert (Q := quotient_times (ln (IZR w)) e ltac:(lra)).
  assert (0 <= ln (IZR w) / e) by (apply quotient_nonnegative; lra).
  assert (ln (IZR w) <= IZR b) by nra.
  assert (A : IZR w * IZR r * ln (IZR w) / (40 * e) <= IZR w * IZR r * IZR b / (40 * e)).
  { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra |]. apply Rmult_le_compat_l; nra. }
  replace (IZR w * IZR r * IZR b / (40 * e)) with (IZR w / 2 * (IZR r * IZR b / (20 * e))) in A by (field; lra).
  assert (0 <= IZR r * IZR b / (20 * e)) by (apply quotient_nonnegative; nra). nra.
Qed.

Theorem theorem_19__square_of_a_sum : sliding_window.theorem_19__square_of_a_sum.
Proof.
  intros r e Hr He He1.
  replace (_ - _) with (r ^ 2 * (r ^ 2 - 4 * r + (1 - e) * (2 * r + 1 + e))) by ring.
  apply Rmult_le_pos; nra.
Qed.

Lemma fourth_power r k : 1 <= k -> 2 * k <= r ^ 2 -> 1 <= r -> 2 * (k * r) <= r ^ 4.
Proof.
  intros Hk H Hr. replace (r ^ 4) with (r ^ 2 * r ^ 2) by ring.
  assert (r <= r ^ 2) by nra. assert (2 * k * r <= r ^ 2 * r) by nra. nra.
Qed.

Theorem theorem_19__quarter : sliding_window.theorem_19__quarter.
Proof.
  intros r k d e c s Hk H Hr. pose proof (fourth_power r (IZR k) ltac:(lra) ltac:(lra) ltac:(lra)).
  replace (_ - _) with ((r ^ 4 - IZR k * r - r ^ 4 / 2) * (r ^ 4 - IZR k * r + r ^ 4 / 2)) by field.
  apply Rmult_le_pos; nra.
Qed.

Theorem theorem_19__contradiction : sliding_window.theorem_19__contradiction.
Proof.
  intros r k d e c s Hk H Hr. pose proof (fourth_power r (IZR k) ltac:(lra) ltac:(lra) ltac:(lra)) as F.
  assert (0 < IZR k * r) by nra. split; [lra |]. apply quotient_above; [assumption |].
  assert (1 < r ^ 2) by nra. assert (r < r ^ 4) by (replace (r ^ 4) with (r ^ 2 * r ^ 2) by ring; nra). nra.
Qed.

Theorem theorem_19__columns_outside : sliding_window.theorem_19__columns_outside.
Proof.
  intros s h Hs Hh. replace (_ - _) with (h * (s ^ 2 - 2 * s + h)) by ring. apply Rmult_le_pos; nra.
Qed.

Theorem theorem_19__large_tau : sliding_window.theorem_19__large_tau.
Proof.
  intros w d r b t e c Hw Hd Hr Hb Ht Htb He He1 [_ H] _.
  assert (P : 100 <= powerRZ 100 t).
  { assert (1 <= t)%Z by (apply le_IZR; lra). destruct t as [| p | p]; try lia.
    simpl. rewrite <- (pow_1 100) at 1. apply Rle_pow; [lra |]. lia. }
  split; [lra |].
  assert (Q := quotient_times (IZR r * IZR b) (20 * e) ltac:(lra)).
  assert (RB : IZR r * IZR b <= 10 * IZR d) by nra.
  replace (2 * powerRZ 100 t * IZR w * IZR d / IZR b - 20 * IZR r * IZR w)
    with (2 * IZR w * (powerRZ 100 t * IZR d - 10 * (IZR r * IZR b)) / IZR b) by (field; lra).
  apply quotient_nonnegative; [| lra]. repeat apply Rmult_le_pos; nra.
Qed.

Theorem table_1__sketch_noise : sliding_window.table_1__sketch_noise.
Proof.
  intros w d k t e eps delta f c Hw Hd Hk Ht He He1 Heps Hdelta Hdelta1 Hf Hf1.
  assert (0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  assert (1 <= 1 / delta) by (assert (Q := quotient_times 1 delta ltac:(lra)); nra).
  assert (E : 4 / delta = 4 * (1 / delta)) by (field; lra).
  assert (L : 1 < ln (4 / delta)).
  { rewrite E, ln_mult by lra. assert (0 <= ln (1 / delta)) by now apply logarithm_nonnegative.
    assert (1 < ln 4) by interval with (i_prec 60). lra. }
  assert (0 < 4 / delta) by lra. set (l := ln (4 / delta)) in *.
  assert (1 <= IZR k * l) by nra. repeat split; try lra; try nra.
  set (s := sqrt (IZR k * l)).
  assert (S : s * s = IZR k * l) by (apply sqrt_sqrt; lra). assert (0 <= s) by apply sqrt_pos.
  assert (s <= IZR k * l) by nra.
  replace (_ - _) with ((514 * IZR k * l ^ 2 - (16 * s + l) ^ 2) / eps ^ 2) by (field; lra).
  apply quotient_nonnegative; [| nra].
  assert (s * l <= IZR k * l * l) by nra. assert (s * s <= IZR k * l * l) by nra. assert (l * l <= IZR k * l * l) by nra.
  nra.
Qed.

Theorem theorem_19__combination : sliding_window.theorem_19__combination.
Proof.
  intros r k d e c s Hk H Hr Hs Hsr Hc [_ H6].
  assert (0 < r ^ 3) by nra.
  assert (C : c <= 2 / r ^ 3).
  { apply Rsqr_incr_0_var; [| apply quotient_nonnegative; lra]. unfold Rsqr.
    replace (2 / r ^ 3 * (2 / r ^ 3)) with (4 / r ^ 6) by (field; lra). lra. }
  split; [nra |].
  assert (c * (s + r) <= 4 / r ^ 2).
  { replace (4 / r ^ 2) with (2 / r ^ 3 * (2 * r)) by (field; lra). apply Rmult_le_compat; lra. }
  replace (4 * IZR k / r ^ 2) with (IZR k * (4 / r ^ 2)) by (field; lra). nra.
Qed.
