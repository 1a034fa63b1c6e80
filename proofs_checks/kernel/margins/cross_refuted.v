(* Statements about `cross` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From DPMatrix.generated Require cross.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem wishart_degrees_of_freedom_fails : ~ cross.wishart_degrees_of_freedom.
Proof. intros H. red in H. specialize (H 7%Z 3 (1 / 2)). fails_at H. Qed.

Ltac unequal_at H :=
  repeat match type of H with
  | ?P -> ?Q => let h := fresh "h" in assert (h : P) by holds_at_the_point; specialize (H h)
  end;
  repeat match type of H with _ /\ _ => destruct H as [_ H] end;
  match type of H with
  | 0 <= ?c - Rabs ?a => assert (c - Rabs a < 0) by (interval with (i_prec 80)); lra
  | 0 <= - Rabs ?a => assert (- Rabs a < 0) by (interval with (i_prec 80)); lra
  end.

Theorem gaussian_constant_fails : ~ cross.gaussian_constant.
Proof. intros H. red in H. specialize (H 2%Z 1 (1 / 2)). unequal_at H. Qed.

Theorem ppca_sample_complexity_fails : ~ cross.ppca_sample_complexity.
Proof. intros H. red in H. specialize (H 2%Z 1%Z 1 (1 / 2) 0 (1 / 2) (1 / 2)). unequal_at H. Qed.
