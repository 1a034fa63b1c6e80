(* Statements about `wishart` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz Lia.
From Interval Require Import Tactic.
From DPMatrix.generated Require wishart.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem definition_5_repaired : wishart.definition_5_repaired.
Proof. margin. Qed.

Theorem theorem_4__inverse_scale : wishart.theorem_4__inverse_scale.
Proof. margin. Qed.

Theorem theorem_4__last_line : wishart.theorem_4__last_line.
Proof. margin. Qed.

Theorem nuclear_norm_bound : wishart.nuclear_norm_bound.
Proof. margin. Qed.

Theorem nuclear_norm_bound__three_maxima : wishart.nuclear_norm_bound__three_maxima.
Proof. margin. Qed.

Theorem nuclear_norm_bound__unit_ball : wishart.nuclear_norm_bound__unit_ball.
Proof. margin. Qed.

Theorem laplace_noise_norm__lower_bound : wishart.laplace_noise_norm__lower_bound.
Proof. margin. Qed.

Theorem theorem_10__markov : wishart.theorem_10__markov.
Proof. margin. Qed.

Theorem theorem_10__distance : wishart.theorem_10__distance.
Proof. margin. Qed.

Theorem psd_preservation__laplace_may_leave_the_cone : wishart.psd_preservation__laplace_may_leave_the_cone.
Proof. margin. Qed.

Theorem running_time__one_iteration : wishart.running_time__one_iteration.
Proof. margin. Qed.

Theorem theorem_1 : wishart.theorem_1.
Proof.
  intros e s c He Hs [_ Hc].
  assert (Q := quotient_times s e ltac:(lra)).
  assert (0 <= s / e) by now apply quotient_nonnegative.
  assert (s / c <= e) by (apply Rmult_le_reg_r with c; [| rewrite quotient_times]; nra).
  repeat split; intros; try lra.
  destruct (Rlt_dec s 0); [lra |]. destruct (Rlt_dec 0 c); [| lra].
  destruct (Rlt_dec e 0); [lra |]. destruct (Rlt_dec e (s / c)); lra.
Qed.

Theorem theorem_4__trace_and_norm : wishart.theorem_4__trace_and_norm.
Proof.
  intros v w s Hv Hw Hs. split; [pose proof (Rle_0_sqr (v - w)) as H; unfold Rsqr in H; nra |].
  enough (v - w <= sqrt ((v + w) ^ 2 - 4 * s ^ 2)) by lra.
  apply Rle_trans with (Rabs (v - w)); [apply Rle_abs |].
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr. nra.
Qed.

Theorem nuclear_norm_bound__singular_values : wishart.nuclear_norm_bound__singular_values.
Proof.
  intros v w s Hv Hw Hs. split; [pose proof (Rle_0_sqr (v - w)) as H; unfold Rsqr in H; nra |].
  assert (v <= Rmax v w) by apply Rmax_l. apply root_below; nra.
Qed.

Theorem lemma_1__probability_at_c_log_d : wishart.lemma_1__probability_at_c_log_d.
Proof.
  intros d n e f c Hd Hn He Hf. split; [lra |]. apply equation_holds. unfold Rpower.
  replace ((1 - f) * ln (IZR d)) with (ln (IZR d) + - (f * ln (IZR d))) by ring.
  rewrite exp_plus, exp_ln by lra. reflexivity.
Qed.

Theorem theorem_10__group_privacy : wishart.theorem_10__group_privacy.
Proof.
  intros k d g delta e r c Hk Hg He.
  assert (0 < IZR g * IZR k * e) by (repeat apply Rmult_lt_0_compat; lra).
  assert (exp (IZR g * IZR k * e) < exp (2 * (IZR g * IZR k * e))) by (apply exp_increasing; lra). lra.
Qed.

Theorem running_time__published_matrix : wishart.running_time__published_matrix.
Proof.
  intros n' d' r' c s' Hn Hd.
  pose proof (floor_between (IZR d' * (IZR d' + 1) * (6 * IZR n' + 2 * IZR d' + 7) / 6)) as [_ A].
  set (a := IZR (Int_part (IZR d' * (IZR d' + 1) * (6 * IZR n' + 2 * IZR d' + 7) / 6))) in *.
  set (n := IZR n') in *. set (d := IZR d') in *. clearbody a n d.
  assert (0 <= d * (d - 1) * (n - 1)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= d * (d - 1) * (d - 1)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= d * (d - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma step_with_matrix d r b : 1 <= r -> r <= d -> b <= r * (r - 1) / 2 ->
  r * d * (2 * d - 1) + (b * (4 * d - 1) + 3 * r * d) <= 4 * (r * d ^ 2).
Proof.
  intros Hr Hd Hb.
  assert (b * (4 * d - 1) <= r * (r - 1) / 2 * (4 * d - 1)) by (apply Rmult_le_compat_r; lra).
  assert (0 <= r * (d - r) * (4 * d - 1)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= r * (d - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma step_without_matrix n d r b : 1 <= n -> 1 <= r -> r <= d - 1 -> b <= r * (r - 1) / 2 ->
  r * (n * (2 * d - 1) + d * (2 * n - 1) + 2 * d ^ 2 + 3 * d) + (b * (4 * d - 1) + 3 * r * d)
  <= 4 * n * d * r + 5 * (r * d ^ 2).
Proof.
  intros Hn Hr Hd Hb.
  assert (b * (4 * d - 1) <= r * (r - 1) / 2 * (4 * d - 1)) by (apply Rmult_le_compat_r; lra).
  assert (0 <= r * (d - 1 - r) * (4 * d - 1)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= r * (d - 2) * d) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= r * (d - 2)) by (apply Rmult_le_pos; lra).
  assert (0 <= r * (n - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma minimum_below x y z : x <= z \/ y <= z -> Rmin x y <= z.
Proof. pose proof (Rmin_l x y). pose proof (Rmin_r x y). intros [H' | H']; lra. Qed.

Theorem running_time_repaired : wishart.running_time_repaired.
Proof.
  intros n' d' r' c s' Hn Hd Hr Hrd Hs.
  pose proof (floor_between (IZR d' * (IZR d' + 1) * (6 * IZR n' + 2 * IZR d' + 7) / 6)) as [_ A].
  pose proof (floor_between (IZR r' * (IZR r' - 1) / 2)) as [_ B].
  set (a := IZR (Int_part (IZR d' * (IZR d' + 1) * (6 * IZR n' + 2 * IZR d' + 7) / 6))) in *.
  set (b := IZR (Int_part (IZR r' * (IZR r' - 1) / 2))) in *.
  apply Rge_le, Rge_minus, Rle_ge, minimum_below.
  destruct (Rle_dec (IZR d') (IZR s' * IZR r')) as [Q | Q].
  - left. rewrite Rmin_left by exact Q.
    pose proof (step_with_matrix (IZR d') (IZR r') b ltac:(lra) ltac:(lra) B) as C.
    set (n := IZR n') in *. set (d := IZR d') in *. set (r := IZR r') in *. set (s := IZR s') in *.
    clearbody a b n d r s.
    apply (Rmult_le_compat_l s) in C; [| lra].
    assert (d * d ^ 2 <= s * r * d ^ 2) by (apply Rmult_le_compat_r; [apply pow2_ge_0 | exact Q]).
    assert (0 <= d * (d - 1) * (n - 1)) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= d * (d - 1) * (d - 1)) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= d * (d - 1)) by (apply Rmult_le_pos; lra).
    assert (0 <= d * d * (n - 1)) by (repeat apply Rmult_le_pos; lra).
    assert (a <= 4 * n * d * d + d * d ^ 2) by lra. lra.
  - right. apply Rnot_le_lt in Q. rewrite Rmin_right by lra.
    assert (s' = 0 \/ 1 <= s')%Z as [-> | S] by (apply (le_IZR 0) in Hs; lia); [lra |].
    apply IZR_le in S.
    assert (IZR r' <= IZR d' - 1).
    { pose proof (Rmult_le_pos (IZR s' - 1) (IZR r') ltac:(lra) ltac:(lra)).
      assert (IZR r' < IZR d') as L by lra. apply lt_IZR in L. rewrite <- minus_IZR. apply IZR_le. lia. }
    pose proof (step_without_matrix (IZR n') (IZR d') (IZR r') b ltac:(lra) ltac:(lra) ltac:(lra) B) as C.
    apply (Rmult_le_compat_l (IZR s')) in C; [| lra]. lra.
Qed.

Lemma parity_below d : 0 <= IZR d - 2 * IZR (Int_part (IZR d / 2)) < 2.
Proof. pose proof (floor_between (IZR d / 2)). lra. Qed.

Lemma two_or_more d : 1 < IZR d -> 2 <= IZR d.
Proof. intros H. apply lt_IZR in H. apply IZR_le. lia. Qed.

Lemma root_of_twice d p : 2 <= d -> 0 <= p < 2 -> d < sqrt (2 * d ^ 2 - p) < 2 * d.
Proof.
  intros Hd Hp. split.
  - rewrite <- (sqrt_square d) at 1 by lra. apply sqrt_lt_1_alt. nra.
  - rewrite <- (sqrt_square (2 * d)) by lra. apply sqrt_lt_1_alt. nra.
Qed.

Theorem lemma_2__lower_bound : wishart.lemma_2__lower_bound.
Proof.
  intros d n e Hd Hn. pose proof (parity_below d).
  repeat split; intros; try lra; try nra.
  destruct (Rlt_dec (IZR d) 1); [lra |]. destruct (Rlt_dec 1 (IZR d)) as [H1 |]; [| lra].
  pose proof (two_or_more d H1). pose proof (root_of_twice (IZR d) _ ltac:(lra) H).
  rewrite <- Rdiv_minus_distr. apply quotient_nonnegative; lra.
Qed.

Theorem lemma_2__upper_bound : wishart.lemma_2__upper_bound.
Proof.
  intros d n e Hd Hn. pose proof (parity_below d).
  repeat split; intros; try lra; try nra.
  destruct (Rlt_dec (IZR d) 1); [lra |]. destruct (Rlt_dec 1 (IZR d)) as [H1 |]; apply Rdiv_lt_0_compat; try lra.
  pose proof (two_or_more d H1). pose proof (root_of_twice (IZR d) _ ltac:(lra) H). lra.
Qed.

Theorem theorem_3__scale_exceeds_sensitivity : wishart.theorem_3__scale_exceeds_sensitivity.
Proof. exact lemma_2__upper_bound. Qed.

Lemma root_of_two_times d p : 1 <= d -> 0 <= p -> sqrt (2 * d ^ 2 - p) <= sqrt 2 * d.
Proof.
  intros Hd Hp. rewrite <- (sqrt_square d) at 2 by lra. rewrite <- sqrt_mult by nra. apply sqrt_le_1_alt. nra.
Qed.

Theorem lemma_2_repaired : wishart.lemma_2_repaired.
Proof.
  intros d n e Hd Hn. pose proof (parity_below d).
  assert (1 < sqrt 2) by (rewrite <- sqrt_1; apply sqrt_lt_1_alt; lra).
  repeat split; intros; try lra; try nra.
  destruct (Rlt_dec (IZR d) 1); [lra |]. destruct (Rlt_dec 1 (IZR d)) as [H1 |].
  - pose proof (two_or_more d H1). pose proof (root_of_twice (IZR d) _ ltac:(lra) H).
    pose proof (root_of_two_times (IZR d) _ ltac:(lra) (proj1 H)).
    apply Rmin_glb; apply quotient_nonnegative; lra.
  - apply Rmin_glb; apply quotient_nonnegative; nra.
Qed.

Lemma root_at_most a c : 0 <= c -> a <= c * c -> sqrt a <= c.
Proof. intros Hc Ha. pose proof (root_below a c Hc Ha). lra. Qed.

Theorem theorem_7__gap_against_dimension : wishart.theorem_7__gap_against_dimension.
Proof. margin. Qed.

Theorem definition_5__replaced_record : wishart.definition_5__replaced_record.
Proof.
  intros v w s Hv Hw Hs Hv1 Hw1. pose proof (Rle_0_sqr (v - w)) as S. unfold Rsqr in S. split; [nra |].
  assert (sqrt ((v + w) ^ 2 - 4 * s ^ 2) <= v + w) by (apply root_at_most; nra).
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.

Theorem theorem_4_repaired : wishart.theorem_4_repaired.
Proof.
  split; intros d e v w s Hd He Hv Hv1 Hw Hw1 Hs Hp H0; pose proof (Rle_0_sqr (v - w)) as S; unfold Rsqr in S.
  - assert (0 < 2 / (2 * e)) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < 1 / (2 * e)) by (apply Rdiv_lt_0_compat; lra).
    repeat split; intros; try lra; try nra. destruct (Rlt_dec (IZR d) 1); [lra |]. destruct (Rlt_dec 1 (IZR d)).
    + assert (sqrt ((v + w) ^ 2 - 4 * s ^ 2) <= 2) by (apply root_at_most; nra).
      replace (_ - _) with (e * (2 - sqrt ((v + w) ^ 2 - 4 * s ^ 2)) / 2) by (field; lra). nra.
    + apply equation_meant in Hp. assert (sqrt ((v + w) ^ 2 - 4 * s ^ 2) <= 1) by (apply root_at_most; nra).
      replace (_ - _) with (e * (1 - sqrt ((v + w) ^ 2 - 4 * s ^ 2))) by (field; lra). nra.
  - assert (0 < 1 / (2 * e)) by (apply Rdiv_lt_0_compat; lra).
    repeat split; intros; try lra; try nra. destruct (Rlt_dec (IZR d) 1); [lra |].
    assert (sqrt ((v + w) ^ 2 - 4 * s ^ 2) <= 1) by (apply root_at_most; nra).
    replace (_ - _) with (e * (1 - sqrt ((v + w) ^ 2 - 4 * s ^ 2))) by (field; lra). nra.
Qed.

Theorem theorem_5_repaired : wishart.theorem_5_repaired.
Proof.
  intros d x y e n c Hd Hx Hy He [_ [_ H1]] [_ H2].
  assert (X : x = x / y * y) by (rewrite quotient_times; lra).
  pose proof (sqrt_pos (IZR d)). assert (D := sqrt_sqrt (IZR d) ltac:(lra)).
  set (q := x / y) in *. set (s := sqrt (IZR d)) in *.
  repeat split; intros; try lra; try (unfold Rmax in H1; destruct (Rle_dec _ _) in H1; lra).
  destruct (Rlt_dec q (3 * s)) as [Q | Q].
  - destruct (Rlt_dec (s / 22) q) as [Q1 | Q1]; [unfold Rmax in H1; destruct (Rle_dec _ _) in H1; lra |].
    assert (14 / 10 < sqrt 2) by (interval with (i_prec 60)).
    replace (_ - _) with (y / e * (sqrt 2 * IZR d / 2 - 15 * (s * q))) by (rewrite X; field; lra).
    apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | nra].
  - assert (3 <= s) by nra.
    assert (sqrt (IZR d + 1) <= s + 1 / 6) by (apply root_at_most; nra).
    pose proof (sqrt_pos (IZR d + 1)).
    replace (_ - _) with (y / e * (s * q - ((s + sqrt (IZR d + 1) + 1 / 2) ^ 2 + 1) / 2)) by (rewrite X; field; lra).
    apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra |].
    assert ((s + sqrt (IZR d + 1) + 1 / 2) ^ 2 <= (2 * s + 2 / 3) ^ 2) by (apply pow_incr; lra). nra.
Qed.

Theorem theorem_10_repaired : wishart.theorem_10_repaired.
Proof.
  intros d k n g e Hd Hk Hkd Hg Hn He H1 H2. assert (L : 0 < ln 2) by (apply logarithm_positive; lra).
  assert (0 < IZR g * e) by (apply Rmult_lt_0_compat; lra). set (x := IZR g * e) in *. set (l := ln 2) in *.
  assert (0 < 2 * (l / 128) * IZR d / x) by (apply Rdiv_lt_0_compat; nra).
  assert (E : 1 / (2 * (l / 128) * IZR d / x) = 64 * x / (l * IZR d)) by (field; repeat split; lra).
  assert (M : 2 * 2 * 2 * 2 <= 64 * x / (l * IZR d)).
  { apply Rmult_le_reg_r with (l * IZR d); [nra |]. rewrite quotient_times; nra. }
  rewrite E. repeat split; try lra.
  assert (N : ln (2 * 2 * 2 * 2) <= ln (64 * x / (l * IZR d))).
  { destruct M as [M | <-]; [apply Rlt_le, ln_increasing |]; lra. }
  rewrite !ln_mult in N by lra. fold l in N. nra.
Qed.

Theorem theorem_3 : wishart.theorem_3.
Proof.
  intros d n e Hd Hn He. pose proof (parity_below d) as P.
  assert (0 < IZR n * e) by (apply Rmult_lt_0_compat; lra).
  assert (0 < 2 * IZR d / (IZR n * e)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 <= ((IZR d + 2) ^ 2 + IZR d ^ 2 - (IZR d - 2 * IZR (Int_part (IZR d / 2)))) / 4) by nra.
  pose proof (sqrt_pos (((IZR d + 2) ^ 2 + IZR d ^ 2 - (IZR d - 2 * IZR (Int_part (IZR d / 2)))) / 4)).
  set (q := 2 * IZR d / (IZR n * e)) in *. set (p := IZR d - 2 * IZR (Int_part (IZR d / 2))) in *.
  set (y := sqrt (((IZR d + 2) ^ 2 + IZR d ^ 2 - p) / 4)) in *.
  assert (0 <= y / IZR n) by (apply quotient_nonnegative; lra).
  assert (0 <= (IZR d + 1) / 2 / IZR n) by (apply quotient_nonnegative; lra).
  repeat split; intros; try lra.
  destruct (Rlt_dec (IZR d) 1); [lra |]. destruct (Rlt_dec 0 q); [| lra]. destruct (Rlt_dec e 0); [lra |].
  destruct (Rlt_dec 1 (IZR d)) as [D | D].
  - destruct (Rlt_dec (y / IZR n) 0); [lra |]. destruct (Rlt_dec e _) as [F |]; [| lra]. exfalso.
    pose proof (two_or_more d D).
    assert (y <= 2 * IZR d) by (apply root_at_most; nra).
    replace (y / IZR n / q) with (y / (2 * IZR d) * e) in F by (unfold q; field; lra).
    pose proof (quotient_below 1 y (2 * IZR d) ltac:(lra) ltac:(lra)). nra.
  - destruct (Rlt_dec ((IZR d + 1) / 2 / IZR n) 0); [lra |]. destruct (Rlt_dec e _) as [F |]; [| lra]. exfalso.
    replace ((IZR d + 1) / 2 / IZR n / q) with ((IZR d + 1) / (4 * IZR d) * e) in F by (unfold q; field; lra).
    pose proof (quotient_below 1 (IZR d + 1) (4 * IZR d) ltac:(lra) ltac:(lra)). nra.
Qed.
