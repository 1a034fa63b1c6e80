(* Statements about `near-optimal` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals Lra Lia.
From DPMatrix.generated Require near_optimal.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem algorithm_2__total_variation_fails : ~ near_optimal.algorithm_2__total_variation.
Proof. intros H. red in H. specialize (H (1 / 5) (1 / 10) (1 / 4) (1 / 20) 2 (1 / 20)). fails_at H. Qed.

Theorem theorem_5__same_exponent_fails : ~ near_optimal.theorem_5__same_exponent.
Proof. intros H. red in H. specialize (H 2%Z 3%Z 3 9). fails_at H. Qed.

Theorem theorem_5__last_display_is_beta_fails : ~ near_optimal.theorem_5__last_display_is_beta.
Proof. intros H. red in H. specialize (H 2%Z 2%Z 1 (1 / 10)). fails_at H. Qed.

Theorem theorem_6__one_column_fails : ~ near_optimal.theorem_6__one_column.
Proof. intros H. red in H. specialize (H (4 / 7) 1 0 6%Z 6%Z 14). fails_at H. Qed.

Theorem theorem_7__inequality_7_fails : ~ near_optimal.theorem_7__inequality_7.
Proof. intros H. red in H. specialize (H 5%Z 1 (25 / 2) 11 3 0 1 0 (7 / 10)). fails_at H. Qed.

Theorem theorem_7__inequality_8_fails : ~ near_optimal.theorem_7__inequality_8.
Proof. intros H. red in H. specialize (H 7%Z (15 / 2) (5 / 2) (2 / 3) 0 1 0 0 (37 / 40)). fails_at H. Qed.

Theorem theorem_8__range_of_phi_fails : ~ near_optimal.theorem_8__range_of_phi.
Proof. intros H. red in H. specialize (H 3%Z). fails_at H. Qed.

Theorem theorem_8__more_records_fails : ~ near_optimal.theorem_8__more_records.
Proof. intros H. red in H. specialize (H 3%Z 3%Z (1 / 2) 2). fails_at H. Qed.

Theorem theorem_8__number_of_changed_points_fails : ~ near_optimal.theorem_8__number_of_changed_points.
Proof. intros H. red in H. specialize (H 5%Z 6%Z 1). fails_at H. Qed.

Theorem theorem_8__number_of_zeros_fails : ~ near_optimal.theorem_8__number_of_zeros.
Proof. intros H. red in H. specialize (H 3%Z 1%Z 2). fails_at H. Qed.

Theorem theorem_8__whole_number_fails : ~ near_optimal.theorem_8__whole_number.
Proof.
  intros H. red in H. destruct (H 3%Z 1%Z 2 ltac:(lra) ltac:(lra) ltac:(lra)) as [_ E].
  apply equation_meant in E. assert (T : IZR 3 = IZR (2 * Int_part (3 / 2 + 1 / 2))) by (rewrite mult_IZR; lra).
  apply eq_IZR in T. lia.
Qed.

Theorem theorem_9__minimum_fails : ~ near_optimal.theorem_9__minimum.
Proof. intros H. red in H. specialize (H 6%Z 1%Z 1 (3 / 4) (49 / 50)). fails_at H. Qed.

Theorem figure_5_fails : ~ near_optimal.figure_5.
Proof. intros H. red in H. specialize (H 3 2). fails_at H. Qed.
