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

Theorem definition_1__sequence : sliding_window.definition_1__sequence.
Proof.
  intros p e Hp Hp1 He.
  rewrite (Rmax_right 0 (1 - p)), (Rmax_left 0 (- (e * (1 - p)))), (Rmax_left 0 (- (e * p))), (Rmax_right 0 p),
    (Rmax_left 0 (1 - p - e * (1 - p))), (Rmax_left 0 (p - e * p)) by nra.
  unfold Rmax. repeat destruct Rle_dec; nra.
Qed.

Theorem definition_1__sampled_rows : sliding_window.definition_1__sampled_rows.
Proof.
  intros y s e delta Hy Hs He Hd Hd1 [_ H]. assert (0 < y ^ 2) by nra. repeat split; try lra.
  replace (s * y ^ 2 / y ^ 2) with s by (field; lra). rewrite (Rmin_left 1 s) by lra.
  assert (s * y ^ 2 <= 1 - delta).
  { replace (1 - delta) with ((1 - delta) / s * s) by (field; lra). rewrite Rmult_comm. apply Rmult_le_compat_r; lra. }
  assert (0 <= 1 - delta - s * y ^ 2 / (1 + y ^ 2)) by (apply quotient_below; nra).
  set (q := s * y ^ 2 / (1 + y ^ 2)) in *.
  pose proof (Rmin_r 1 q). pose proof (Rmax_l (1 - Rmin 1 q - exp e * (1 - 1)) 0). lra.
Qed.

Theorem lemma_10__from_lemma_1 : sliding_window.lemma_10__from_lemma_1.
Proof.
  intros h a f s nf ns Hh Ha Ha1 H1 H2 H3. split; [lra |].
  assert (0 <= h * (nf - (1 - a) * f)) by now apply Rmult_le_pos.
  replace (h * (1 - a) / (1 + a) * f) with (h * ((1 - a) * f) / (1 + a)) by (field; lra). apply quotient_below; lra.
Qed.

Theorem lemma_1__property_after_a_row : sliding_window.lemma_1__property_after_a_row.
Proof. margin. Qed.

Lemma exponential_of_larger x y : x <= y -> exp x <= exp y.
Proof. intros [H | ->]; [apply Rlt_le, exp_increasing, H | lra]. Qed.

Lemma logarithm_of_larger x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H | ->]; [apply Rlt_le, ln_increasing; assumption | lra]. Qed.

Lemma logarithm_of_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption). ring.
Qed.

Theorem lemma_2__union : sliding_window.lemma_2__union.
Proof.
  intros d t m e b Hd Ht Hm He He1 Hb Hb1 (Hn & _ & Hp & Hx & Hne & H). split; [exact Hx |].
  set (n := IZR (Int_part (IZR t * (IZR t + 1) / 2))) in *. set (x := 7 * (e / 4) / 8) in *.
  assert (E : 2 / (b / n) = 2 * n / b) by (field; lra). rewrite E in *.
  assert (0 < n) by (assert (Q := quotient_times (2 * n) b ltac:(lra)); nra).
  pose proof (logarithm_below (1 + x) Hx). set (g := x - ln (1 + x)) in *.
  assert (0 < g) by (unfold g in *; lra).
  assert (G : 2 * (IZR d * ln 3 + ln (2 * n / b)) / g * g <= IZR m * g) by (apply Rmult_le_compat_r; lra).
  rewrite quotient_times in G by lra.
  rewrite powerRZ_Rpower by lra. unfold Rpower.
  replace (n * _) with (2 * n * (exp (IZR d * ln 3) * exp (- IZR m * g / 2))) by ring. rewrite <- exp_plus.
  assert (X : exp (IZR d * ln 3 + - IZR m * g / 2) <= exp (- ln (2 * n / b))) by (apply exponential_of_larger; lra).
  rewrite exp_Ropp, exp_ln in X by assumption.
  assert (Y : 2 * n * exp (IZR d * ln 3 + - IZR m * g / 2) <= 2 * n * / (2 * n / b)) by (apply Rmult_le_compat_l; lra).
  replace (2 * n * / (2 * n / b)) with b in Y by (field; lra). lra.
Qed.

Theorem lemma_5__equation_18_bound : sliding_window.lemma_5__equation_18_bound.
Proof.
  intros k b e Hk Hb Hb1 He He3. assert (0 < e ^ 2) by nra. repeat split; try lra.
  assert (ln b <= 0) by (apply logarithm_nonpositive; lra).
  rewrite powerRZ_Rpower by lra. unfold Rpower. rewrite <- exp_plus.
  assert (ln 2 < 1) by interval with (i_prec 60).
  assert (L : 17 / 90 <= 1 - 2 * ln (3 / 2)) by interval with (i_prec 60).
  set (l := 1 - 2 * ln (3 / 2)) in *. set (u := IZR k - ln b).
  assert (A : exp (IZR k * ln 2 + - u) <= exp (ln 2 - 1 + ln b)) by (apply exponential_of_larger; unfold u; nra).
  assert (U : 1 - ln b <= u) by (unfold u; lra).
  assert (V : 9 * u <= u / e ^ 2).
  { assert (0 <= u / e ^ 2 - 9 * u); [| lra].
    replace (u / e ^ 2 - 9 * u) with (u * (1 - 9 * e ^ 2) / e ^ 2) by (field; lra).
    apply quotient_nonnegative; [apply Rmult_le_pos; nra | lra]. }
  assert (B : exp (- u / e ^ 2 * l) <= exp (- (17 / 10) + ln b)).
  { apply exponential_of_larger. replace (- u / e ^ 2) with (- (u / e ^ 2)) by (field; lra). nra. }
  rewrite (exp_plus (ln 2 - 1)), exp_ln in A by assumption. rewrite (exp_plus (- (17 / 10))), exp_ln in B by assumption.
  assert (exp (ln 2 - 1) + exp (- (17 / 10)) <= 1) by interval with (i_prec 60). nra.
Qed.

Lemma chance_below_one delta :
  0 < delta -> 0 < 1 - delta ->
  0 < 4 / delta /\ 69 / 50 < ln (4 / delta) /\ ln delta < 0 /\ - ln delta < ln (4 / delta).
Proof.
  intros Hd Hd1. assert (ln delta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (E : ln (4 / delta) = ln 4 - ln delta) by (apply logarithm_of_quotient; lra). rewrite E.
  assert (69 / 50 < ln 4) by interval with (i_prec 60).
  repeat split; try lra. apply Rdiv_lt_0_compat; lra.
Qed.

Theorem lemma_5__linear_in_rank : sliding_window.lemma_5__linear_in_rank.
Proof.
  intros r e eps delta Hr He He1 Heps Hd Hd1.
  destruct (chance_below_one delta Hd Hd1) as (Hp & HL & _). set (l := ln (4 / delta)) in *.
  assert (0 < eps ^ 2) by nra. repeat split; try lra; [nra |].
  set (s := sqrt (IZR r * l)). assert (0 <= s) by apply sqrt_pos.
  assert (S : s * s = IZR r * l) by (apply sqrt_sqrt; nra).
  assert (Q := quotient_times (1 + e / 4) (1 - e) ltac:(lra)).
  assert (A : 1 + 5 * e / 4 <= (1 + e / 4) / (1 - e)) by nra. set (q := (1 + e / 4) / (1 - e)) in *.
  replace (_ - _) with ((q * (16 * s + l) ^ 2 - (1 - e / 4) * (384 * e * (IZR r * l) + (16 * s + l) ^ 2)) / eps ^ 2)
    by (field; lra).
  apply Rdiv_lt_0_compat; [| assumption]. rewrite <- S.
  assert (B : 256 * (s * s) < (16 * s + l) ^ 2) by nra. set (z := (16 * s + l) ^ 2) in *.
  assert (3 * e / 2 * z <= (q - (1 - e / 4)) * z) by (apply Rmult_le_compat_r; nra).
  assert (0 <= e * (s * s)) by nra. assert (0 <= e * (e * (s * s))) by nra.
  assert (e * (256 * (s * s)) < e * z) by nra. nra.
Qed.

Theorem neighbours__leverage_scores : sliding_window.neighbours__leverage_scores.
Proof.
  intros g Hg. set (x := g / 2). assert (0 < x) by (unfold x; lra). replace g with (2 * x) by (unfold x; field).
  assert (0 < x * x) by nra. repeat split; try lra.
  destruct Req_EM_T; [lra |]. destruct Req_EM_T; [lra |].
  replace (x * (1 / (x * x)) * x) with 1 by (field; lra).
  replace (x * (1 / (x * x + 1)) * x) with (x * x / (x * x + 1)) by (field; lra).
  pose proof (Rle_abs (1 - x * x / (x * x + 1))).
  assert (Q := quotient_times (x * x) (x * x + 1) ltac:(lra)). set (q := x * x / (x * x + 1)) in *.
  assert (q < 2 * x) by nra. lra.
Qed.

Theorem neighbours__online_chances : sliding_window.neighbours__online_chances.
Proof.
  intros s c Hs. assert (0 < 2 + c ^ 2) by nra.
  assert (Q := quotient_times 1 (2 + c ^ 2) ltac:(lra)).
  assert (0 < 1 / (2 + c ^ 2)) by (apply Rdiv_lt_0_compat; lra). set (x := 1 / (2 + c ^ 2)) in *.
  assert (0 < x * x) by nra. repeat split; try lra.
  destruct Req_EM_T; [lra |].
  replace (x * (1 / (x * x + x * x)) * x) with (1 / 2) by (field; lra).
  rewrite (Rmin_right 1 (s * (0 * _ * 0))) by lra.
  rewrite (Rabs_pos_eq x) by lra.
  assert (1 / 2 <= Rmin 1 (s * (1 / 2))) by (apply Rmin_glb; lra).
  pose proof (Rle_abs (Rmin 1 (s * (1 / 2)) - s * (0 * (1 / (x * x)) * 0))).
  assert (c * x < 1 / 2); [| lra]. assert (0 < x * ((c - 1) * (c - 1) + 1)) by (apply Rmult_lt_0_compat; nra). lra.
Qed.

Theorem neighbours__sampled_moment : sliding_window.neighbours__sampled_moment.
Proof.
  intros s c Hs. pose proof (Rle_0_sqr (s * (1 + c))) as P. unfold Rsqr in P.
  set (d := 1 + s * (1 + c) * (s * (1 + c))) in *. assert (1 <= d) by (unfold d; lra).
  assert (0 < 1 / d) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < Rmin 1 (s * (1 / d))) by (apply Rmin_glb_lt; nra). repeat split; try lra.
  destruct Req_EM_T; [lra |].
  pose proof (Rmin_r 1 (s * (1 / d))). set (m := Rmin 1 (s * (1 / d))) in *.
  apply quotient_above; [assumption |]. destruct (Rle_lt_dec c 0); [nra |].
  assert (c * m <= c * (s * (1 / d))) by (apply Rmult_le_compat_l; lra).
  assert (Q := quotient_times 1 d ltac:(lra)). set (q := 1 / d) in *.
  assert (c * s < d).
  { assert (0 <= (c * s - 1) * (c * s - 1)) by apply Rle_0_sqr. assert (0 <= s * s * (1 + 2 * c)) by nra.
    unfold d. lra. }
  nra.
Qed.

Lemma noise_above_logarithm l n eps :
  69 / 50 < l -> 0 <= n <= l -> 0 < eps -> 0 <= 1 - eps -> 0 <= n / eps /\ 10 + n / eps <= 14 * l / eps ^ 2.
Proof.
  intros Hl Hn He He1. split; [apply quotient_nonnegative; lra |].
  assert (0 < eps ^ 2) by nra.
  assert (0 <= 14 * l / eps ^ 2 - (10 + n / eps)); [| lra].
  replace (_ - _) with ((14 * l - 10 * eps ^ 2 - n * eps) / eps ^ 2) by (field; lra).
  apply quotient_nonnegative; nra.
Qed.

Theorem table_1__components_space : sliding_window.table_1__components_space.
Proof.
  intros w d r t e eps delta f c Hw Hd Hr Ht He He1 Heps Hdelta Hdelta1 Hf Hf1.
  assert (0 < e ^ 2) by nra. assert (0 < e ^ 3) by nra. repeat split; try lra.
  assert (ln f <= 0) by (apply logarithm_nonpositive; lra).
  assert (0 <= ln (IZR w)) by (apply logarithm_nonnegative; lra).
  replace (_ - _) with (IZR d * ln (IZR w) * ((IZR t - ln f) ^ 2 - e * IZR t ^ 2) / (e ^ 2 * e ^ 2)) by (field; lra).
  apply quotient_nonnegative; [apply Rmult_le_pos; nra | nra].
Qed.

Theorem table_1__regression_above : sliding_window.table_1__regression_above.
Proof.
  intros w d r t e eps delta f c Hw Hd Hr Ht He He1 Heps Hdelta Hdelta1 Hf Hf1 Heps1.
  destruct (chance_below_one delta Hdelta Hdelta1) as (Hp & HL & Hn & HD).
  assert (0 < eps ^ 2) by nra.
  assert (HX := noise_above_logarithm (ln (4 / delta)) (- ln delta) eps ltac:(lra) ltac:(lra) Heps Heps1).
  set (x := 14 * ln (4 / delta) / eps ^ 2) in *. set (y := - ln delta / eps) in *. repeat split; try lra.
  set (u := IZR d + x + 1). assert (3 <= u) by (unfold u; lra).
  assert (1 < ln 3) by interval with (i_prec 60).
  assert (ln 3 <= ln u) by (apply logarithm_of_larger; lra).
  assert (1 <= ln u / eps) by (assert (Q := quotient_times (ln u) eps ltac:(lra)); nra).
  replace (u ^ 2 * ln u / eps) with (u * u * (ln u / eps)) by (field; lra).
  assert (u * u * 1 <= u * u * (ln u / eps)) by (apply Rmult_le_compat_l; nra).
  assert (IZR d * (IZR d + y) <= u * u) by (apply Rmult_le_compat; unfold u; lra). lra.
Qed.

Theorem table_1__variance_above : sliding_window.table_1__variance_above.
Proof.
  intros w d r t e eps delta f c Hw Hd Hr Ht He He1 Heps Hdelta Hdelta1 Hf Hf1 Heps1.
  destruct (chance_below_one delta Hdelta Hdelta1) as (Hp & HL & Hn & HD).
  assert (0 < eps ^ 2) by nra.
  assert (HX := noise_above_logarithm (ln (4 / delta)) (- ln delta) eps ltac:(lra) ltac:(lra) Heps Heps1).
  set (x := 14 * ln (4 / delta) / eps ^ 2) in *. set (y := - ln delta / eps) in *. repeat split; try lra.
  set (u := IZR d + x). assert (3 <= u) by (unfold u; lra).
  assert (1 < ln 3) by interval with (i_prec 60).
  assert (ln 3 <= ln u) by (apply logarithm_of_larger; lra).
  assert (IZR d + y <= u * ln u) by (assert (u * 1 <= u * ln u) by (apply Rmult_le_compat_l; lra); unfold u in *; lra).
  assert (IZR d * (IZR d + y) <= IZR d * (u * ln u)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem table_1_repaired : sliding_window.table_1_repaired.
Proof.
  intros w d r t e eps delta f c Hw Hd Hr Ht He He1 Heps Hdelta Hdelta1 Hf Hf1.
  assert (0 < eps ^ 2) by nra. assert (0 < e ^ 2) by nra. assert (0 < e ^ 3) by nra.
  assert (ln f <= 0) by (apply logarithm_nonpositive; lra).
  assert (0 <= ln (IZR d)) by (apply logarithm_nonnegative; lra).
  set (u := IZR t - ln f). assert (0 < u) by (unfold u; lra).
  assert (0 <= ln (IZR d) * u / IZR t) by (apply quotient_nonnegative; nra).
  assert (0 <= u / IZR t) by (apply quotient_nonnegative; nra).
  assert (0 <= IZR t * IZR d) by nra.
  assert (0 < IZR t ^ 2 * e) by (apply Rmult_lt_0_compat; nra).
  repeat split; try lra; try nra; [repeat apply Rmult_le_pos; lra |].
  repeat apply Rplus_le_le_0_compat; apply equation_holds; try (field; lra).
  - replace (IZR d * ln (IZR d) * u) with (ln (IZR d) * u / IZR t * (IZR t * IZR d)) by (field; lra).
    rewrite sqrt_mult by assumption. field. lra.
  - replace (u * IZR d) with (u / IZR t * (IZR t * IZR d)) by (field; lra).
    rewrite sqrt_mult by assumption. field. lra.
Qed.

Theorem table_2__space_of_theorem_3 : sliding_window.table_2__space_of_theorem_3.
Proof.
  intros w d t e eps delta c Hw Hd Ht He He1. assert (0 < e ^ 2) by nra. assert (0 < e ^ 3) by nra.
  repeat split; try lra. assert (0 <= ln (IZR w)) by (apply logarithm_nonnegative; lra).
  replace (_ - _) with (IZR d * IZR t ^ 2 * ln (IZR w) * (1 - e) / (e ^ 2 * e ^ 2)) by (field; lra).
  apply quotient_nonnegative; [repeat apply Rmult_le_pos; nra | nra].
Qed.

Theorem table_2_repaired : sliding_window.table_2_repaired.
Proof.
  intros w d k e eps delta c Hw Hd Hk Hkd He He1 Heps Hdelta Hdelta1 (_ & _ & H) Heps1.
  assert (ln delta <= 0) by (apply logarithm_nonpositive; lra).
  assert (X : 109 / 100 <= ln (IZR d)).
  { assert (109 / 100 <= ln 3) by interval with (i_prec 60).
    assert (ln 3 <= ln (IZR d)) by (apply logarithm_of_larger; lra). lra. }
  assert (XD : ln (IZR d) <= 37 / 100 * IZR d).
  { pose proof (logarithm_below (IZR d / 3) ltac:(lra)) as B. rewrite logarithm_of_quotient in B by lra.
    assert (ln 3 <= 11 / 10) by interval with (i_prec 60). lra. }
  assert (N : 2 <= ln 9 <= 11 / 5) by (split; interval with (i_prec 60)).
  set (x := ln (IZR d)) in *. rewrite sqrt_1, Rmult_1_l.
  set (a := sqrt (- 2 * ln delta)). assert (0 <= a) by apply sqrt_pos.
  assert (A2 : a * a = - 2 * ln delta) by (apply sqrt_sqrt; lra).
  assert (A : a <= 71 / 50 * x) by nra.
  set (b := sqrt (a ^ 2 + 2 * eps)). assert (0 <= b) by apply sqrt_pos.
  assert (B2 : b * b = a ^ 2 + 2 * eps) by (apply sqrt_sqrt; nra).
  assert (B : b <= 193 / 100 * x) by nra.
  set (s := sqrt (IZR d)). assert (0 < s) by (apply sqrt_lt_R0; lra).
  assert (S2 : s * s = IZR d) by (apply sqrt_sqrt; lra).
  set (g := sqrt (IZR d * ln 9 + x)). assert (0 <= g) by apply sqrt_pos.
  assert (G2 : g * g = IZR d * ln 9 + x) by (apply sqrt_sqrt; nra).
  assert (G : g <= 163 / 100 * s) by nra.
  assert (0 <= (a + b) / (2 * eps)) by (apply quotient_nonnegative; lra).
  assert (0 <= (a + b) * g <= 335 / 100 * x * (163 / 100 * s)).
  { split; [apply Rmult_le_pos; lra |]. apply Rmult_le_compat; lra. }
  assert (0 <= x * s) by nra.
  assert (0 <= IZR k * (28 * (x * s) - 4 * ((a + b) * g))) by (apply Rmult_le_pos; lra).
  assert (0 <= 28 * IZR k * s * x / eps).
  { apply quotient_nonnegative; [| assumption]. repeat apply Rmult_le_pos; lra. }
  assert (0 <= 2 * IZR k * (4 * ((a + b) / (2 * eps)) * g)).
  { apply Rmult_le_pos; [| apply Rmult_le_pos]; lra. }
  repeat split; try lra; [nra |].
  apply Rge_le, Rge_minus, Rle_ge, sqrt_le_1_alt, Rminus_le.
  assert (0 <= IZR k * (28 * (x * s) - 4 * ((a + b) * g)) / eps) by (apply quotient_nonnegative; assumption).
  replace (_ - _) with (- (IZR k * (28 * (x * s) - 4 * ((a + b) * g)) / eps)) by (field; lra). lra.
Qed.

Theorem theorem_14__drops : sliding_window.theorem_14__drops.
Proof.
  intros d n w p e Hd Hn Hw Hp He He1 (_ & _ & H). repeat split; try lra.
  pose proof (logarithm_below (1 - e) He1).
  apply Rmult_le_pos; [lra |].
  replace (_ - _) with ((p * ln (IZR w) - IZR n * e) / e) by (field; lra). apply quotient_nonnegative; nra.
Qed.

(* What the three facts about two neighbouring checkpoints say of one direction. *)
Lemma through_the_noise f s nf ns w e c1 c2 :
  0 <= Rmin (w - s) (f - w) -> 0 <= ns - (1 - e) * nf -> 0 <= c1 - Rabs (nf - f) -> 0 <= c2 - Rabs (ns - s) ->
  0 < 1 - e -> w <= f /\ 0 <= c1 /\ f - c1 <= nf /\ nf <= w / (1 - e) + c2 / (1 - e).
Proof.
  intros H1 H2 H3 H4 He. apply both_of_minimum in H1.
  pose proof (Rabs_pos (nf - f)). pose proof (Rle_abs (f - nf)) as H5. rewrite Rabs_minus_sym in H5.
  pose proof (Rle_abs (ns - s)). repeat split; try lra.
  assert (0 <= w / (1 - e) + c2 / (1 - e) - nf); [| lra].
  replace (_ - _) with ((w + c2 - nf * (1 - e)) / (1 - e)) by (field; lra). apply quotient_nonnegative; lra.
Qed.

Theorem theorem_14__equation_39 : sliding_window.theorem_14__equation_39.
Proof.
  intros f s nf ns w e c1 c2 H1 H2 H3 H4 He He1.
  pose proof (through_the_noise _ _ _ _ _ _ _ _ H1 H2 H3 H4 He1). split; lra.
Qed.

Theorem theorem_14__equation_40 : sliding_window.theorem_14__equation_40.
Proof.
  intros f s nf ns w e c1 c2 H1 H2 H3 H4 He He1.
  pose proof (through_the_noise _ _ _ _ _ _ _ _ H1 H2 H3 H4 He1). split; lra.
Qed.

Theorem theorem_15__from_41 : sliding_window.theorem_15__from_41.
Proof.
  intros f s nf ns w e c1 c2 H1 H2 H3 H4 He He1.
  pose proof (through_the_noise _ _ _ _ _ _ _ _ H1 H2 H3 H4 He1). split; [lra |]. apply Rmin_glb; lra.
Qed.

Theorem theorem_14__space_product : sliding_window.theorem_14__space_product.
Proof. margin. Qed.

Lemma times_logarithm a b : 1 <= a -> a < b -> a * ln a < b * ln b.
Proof.
  intros Ha Hab. assert (0 <= ln a) by now apply logarithm_nonnegative.
  assert (ln a < ln b) by (apply ln_increasing; lra). nra.
Qed.

Theorem theorem_14__stated_errors : sliding_window.theorem_14__stated_errors.
Proof.
  intros d r eps h Hd Hr Heps Hh (_ & Hn & H). assert (0 < eps ^ 2) by nra.
  assert (0 < ln 2) by interval with (i_prec 60).
  assert (0 < 14 * (IZR h + 2) * ln 2 / eps ^ 2) by (apply Rdiv_lt_0_compat; nra).
  set (x := 14 * (IZR h + 2) * ln 2 / eps ^ 2) in *.
  pose proof (times_logarithm (IZR d) (IZR d + x) ltac:(lra) ltac:(lra)). repeat split; lra.
Qed.

Theorem theorem_15__below_theorem_5 : sliding_window.theorem_15__below_theorem_5.
Proof.
  intros q d eps delta Hq Hd Heps Hdelta Hdelta1 Hqd.
  destruct (chance_below_one delta Hdelta Hdelta1) as (Hp & HL & _).
  assert (0 < eps ^ 2) by nra. set (l := ln (4 / delta)) in *.
  assert (0 < 14 * l / eps ^ 2) by (apply Rdiv_lt_0_compat; lra). repeat split; try lra.
  assert (0 < ln (IZR d)) by (apply logarithm_positive; lra).
  assert (0 <= ln (IZR q) <= ln (IZR d)) by (split; [apply logarithm_nonnegative | apply logarithm_of_larger]; lra).
  (* log d is at most twice the root of d. *)
  assert (R : ln (IZR d) * ln (IZR d) <= 4 * IZR d).
  { pose proof (sqrt_lt_R0 (IZR d) ltac:(lra)) as P. pose proof (logarithm_below (sqrt (IZR d)) P).
    assert (E : sqrt (IZR d) * sqrt (IZR d) = IZR d) by (apply sqrt_sqrt; lra).
    assert (L : ln (IZR d) = 2 * ln (sqrt (IZR d))) by (rewrite <- E at 1; rewrite ln_mult by assumption; ring).
    nra. }
  assert (0 <= IZR d + 14 * l / eps ^ 2 - ln (IZR q) / eps).
  { replace (_ - _) with ((IZR d * eps ^ 2 + 14 * l - ln (IZR q) * eps) / eps ^ 2) by (field; lra).
    apply quotient_nonnegative; [| lra]. set (x := ln (IZR d)) in *.
    assert (ln (IZR q) * eps <= x * eps) by (apply Rmult_le_compat_r; lra).
    assert (0 <= (x * eps / 2 - 1) * (x * eps / 2 - 1)) by apply Rle_0_sqr. nra. }
  set (u := IZR d + 14 * l / eps ^ 2) in *.
  assert (ln (IZR d) <= ln u) by (apply logarithm_of_larger; unfold u; lra).
  replace (ln (IZR q) * ln (IZR d) / eps) with (ln (IZR q) / eps * ln (IZR d)) by (field; lra).
  assert (0 <= ln (IZR q) / eps) by (apply quotient_nonnegative; lra).
  assert (ln (IZR q) / eps * ln (IZR d) <= u * ln u) by (apply Rmult_le_compat; lra). lra.
Qed.
