(* Statements about `wishart` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals.
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
