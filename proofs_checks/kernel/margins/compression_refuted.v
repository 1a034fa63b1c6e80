(* Statements about `compression` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From DPMatrix.generated Require compression.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem lemma_b_1__second_constant_fails : ~ compression.lemma_b_1__second_constant.
Proof.
  intros H. destruct (H (76885 / 10000)) as [_ N].
  assert (1 / 20000 - Rabs (sqrt (8 * exp 1) - 76885 / 10000) < 0) by (interval with (i_prec 60)). lra.
Qed.

Theorem procedure_4_1_fails : ~ compression.procedure_4_1.
Proof. intros H. red in H. specialize (H 1%Z 1%Z 1000%Z (1 / 10) (-1) 1). fails_at H. Qed.
