(* Statements about `sliding-window` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals.
From DPMatrix.generated Require sliding_window.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_19__squares_off_diagonal_fails : ~ sliding_window.theorem_19__squares_off_diagonal.
Proof. intros H. red in H. specialize (H 2 2 0). fails_at H. Qed.

Theorem theorem_19__multiplicative_part_fails : ~ sliding_window.theorem_19__multiplicative_part.
Proof.
  intros H. red in H. specialize (H 20%Z 400%Z 1%Z 1%Z 1%Z (1 / 10) 0). change (powerRZ 100 1) with (100 ^ 1) in H.
  cbn [pow] in H. pose proof (floor_between (100 * 1 * 1)). fails_at H.
Qed.

Theorem algorithm_1__reads_inside_fails : ~ sliding_window.algorithm_1__reads_inside.
Proof. intros H. red in H. specialize (H 1%Z 3%Z 8%Z 7%Z). fails_at H. Qed.

Theorem algorithm_2_fails : ~ sliding_window.algorithm_2.
Proof. intros H. red in H. specialize (H 1%Z 2%Z 1%Z). fails_at H. Qed.

Theorem lemma_4__count_fails : ~ sliding_window.lemma_4__count.
Proof. intros H. red in H. specialize (H 3%Z (3 / 4) 2). fails_at H. Qed.

Theorem theorem_4__last_display_fails : ~ sliding_window.theorem_4__last_display.
Proof. intros H. red in H. specialize (H 18 1 0). fails_at H. Qed.

Theorem lemma_5__equation_18_product_fails : ~ sliding_window.lemma_5__equation_18_product.
Proof. intros H. red in H. specialize (H 3%Z 3%Z 6%Z). fails_at H. Qed.

Theorem lemma_5__last_display_fails : ~ sliding_window.lemma_5__last_display.
Proof. intros H. red in H. specialize (H 0 7 0 3 (2 / 3) (19 / 10) 1). fails_at H. Qed.

Theorem theorem_6__equation_19_fails : ~ sliding_window.theorem_6__equation_19.
Proof. intros H. red in H. specialize (H 0 2 (1 / 4)). fails_at H. Qed.

Theorem theorem_7__equation_24_fails : ~ sliding_window.theorem_7__equation_24.
Proof. intros H. red in H. specialize (H 30 (39 / 20) (128 / 5) (49 / 25) 2 0 (37 / 20) 2 10). fails_at H. Qed.

Theorem theorem_7__equation_26_fails : ~ sliding_window.theorem_7__equation_26.
Proof. intros H. red in H. specialize (H (-5 / 2) (17 / 20) (3 / 20) (170 / 7) 2 (1 / 4) 2 (3 / 2) 25). fails_at H. Qed.

Theorem theorem_14__rank_one_fails : ~ sliding_window.theorem_14__rank_one.
Proof. intros H. red in H. specialize (H 5%Z 30 (2 / 3) 7%Z 1). fails_at H. Qed.

Theorem theorem_14__theorem_11_fails : ~ sliding_window.theorem_14__theorem_11.
Proof. intros H. red in H. specialize (H 2%Z 3 (2 / 7) 3%Z 2). fails_at H. Qed.

Theorem theorem_14__unit_rows_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_14__unit_rows gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 1%Z (80 / 3) (1 / 3) 2%Z (7 / 3)). fails_at H. Qed.

Theorem theorem_14__post_processing_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_14__post_processing gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 4%Z 28 (2 / 7) 5%Z 3). fails_at H. Qed.

Theorem theorem_17__every_node_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_17__every_node gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 5%Z 6%Z 3%Z 10 (1 / 2)). fails_at H. Qed.

Theorem theorem_19__without_loss_fails : ~ sliding_window.theorem_19__without_loss.
Proof. intros H. red in H. specialize (H 2%Z 3%Z 6%Z 5%Z (1 / 2) 0). fails_at H. Qed.

Theorem theorem_19__block_of_rows_fails : ~ sliding_window.theorem_19__block_of_rows.
Proof. intros H. red in H. specialize (H 5%Z 7%Z 1%Z 4%Z (2 / 3) 0). fails_at H. Qed.

Theorem theorem_19__fraction_fails : ~ sliding_window.theorem_19__fraction.
Proof. intros H. red in H. specialize (H 4%Z 6%Z 6%Z 4%Z 4%Z (1 / 2) 0). fails_at H. Qed.

Theorem theorem_19__entries_at_least_fails : ~ sliding_window.theorem_19__entries_at_least.
Proof. intros H. red in H. specialize (H 21 2%Z 1 10 0 30). fails_at H. Qed.
