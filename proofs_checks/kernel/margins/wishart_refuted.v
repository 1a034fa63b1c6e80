(* Statements about `wishart` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals Lra Psatz Lia.
From Interval Require Import Tactic.
From DPMatrix.generated Require wishart.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem definition_5_fails : ~ wishart.definition_5.
Proof. intros H. red in H. specialize (H 1 1 0). fails_at H. Qed.

Theorem lemma_2_fails : ~ wishart.lemma_2.
Proof. intros H. red in H. specialize (H 1%Z 3%Z 2). fails_at H. Qed.

Theorem lemma_2__triangle_inequality_fails : ~ wishart.lemma_2__triangle_inequality.
Proof. intros H. red in H. specialize (H 2%Z 0). fails_at H. Qed.

Theorem lemma_2__doubling_fails : ~ wishart.lemma_2__doubling.
Proof. intros H. red in H. specialize (H 5%Z 0). fails_at H. Qed.

Theorem lemma_2__factor_n_fails : ~ wishart.lemma_2__factor_n.
Proof. intros H. red in H. specialize (H 6%Z 5%Z 3). fails_at H. Qed.

Theorem theorem_4__common_support_fails : ~ wishart.theorem_4__common_support.
Proof. intros H. red in H. specialize (H (1 / 2) 3 1%Z 0 (87 / 100)). fails_at H. Qed.

Theorem theorem_4__quotient_fails : ~ wishart.theorem_4__quotient.
Proof. intros H. red in H. specialize (H 2 3 3%Z 0 (3 / 4)). fails_at H. Qed.

Theorem theorem_4__density_ratio_fails : ~ wishart.theorem_4__density_ratio.
Proof. intros H. red in H. specialize (H 10 1 4%Z 1 1). fails_at H. Qed.

Theorem theorem_10__small_error_fails : ~ wishart.theorem_10__small_error.
Proof. intros H. red in H. specialize (H 5%Z 7%Z 1%Z (1 / 20) 2 (-3) 1). fails_at H. Qed.

Theorem theorem_10__projector_fails : ~ wishart.theorem_10__projector.
Proof. intros H. red in H. specialize (H 4%Z 8%Z 6%Z (1 / 7) 1 0 (-5 / 4)). fails_at H. Qed.

Theorem theorem_4_fails : ~ wishart.theorem_4.
Proof.
  intros H. red in H. specialize (H 1%Z 1%Z 1 ltac:(lra) ltac:(lra) ltac:(lra)).
  replace (1 / 1 / (2 * (3 / (2 * 1 * 1)))) with (1 / 3) in H by field.
  repeat match type of H with _ /\ _ => destruct H as [_ H] end. revert H. choices; intros H.
  all: pose proof (exponential_strictly_below (- (1 / 3)) ltac:(lra)).
  all: pose proof (Rmax_l (- (exp (- (1 / 3)) - 1)) 0). all: lra.
Qed.

Lemma arcsine_of_a_quarter : 0 < 6 * asin (1 / 4) < PI.
Proof.
  pose proof PI_RGT_0. pose proof (asin_bound (1 / 4)). assert (S := sin_asin (1 / 4) ltac:(lra)).
  split.
  - apply Rnot_le_lt. intros N. assert (sin (asin (1 / 4)) <= sin 0) by (apply sin_incr_1; lra).
    rewrite sin_0 in *. lra.
  - apply Rnot_le_lt. intros N. assert (sin (PI / 6) <= sin (asin (1 / 4))) by (apply sin_incr_1; lra).
    rewrite sin_PI6 in *. lra.
Qed.

Theorem theorem_10__disjoint_balls_fails : ~ wishart.theorem_10__disjoint_balls.
Proof.
  intros H. red in H. specialize (H 1%Z 2%Z 1%Z (1 / 4) (1 / 100) 1 1). pose proof arcsine_of_a_quarter as A.
  do 7 (let h := fresh "h" in match type of H with ?P -> _ => assert (h : P) by lra; specialize (H h) end).
  repeat match type of H with _ /\ _ => destruct H as [_ H] end. revert H. choices; intros H; try lra.
  pose proof (floor_between (- (PI / (2 * asin (1 / 4))))) as F.
  pose proof (quotient_above PI 3 (2 * asin (1 / 4)) ltac:(lra) ltac:(lra)).
  assert (IZR (Int_part (- (PI / (2 * asin (1 / 4))))) <= -4).
  { apply IZR_le. assert (Int_part (- (PI / (2 * asin (1 / 4)))) < -3)%Z by (apply lt_IZR; lra). lia. }
  assert (9 / 10 < exp (- 2 * 1 * 1 * (1 / 100))) by (interval with (i_prec 60)). nra.
Qed.
