(* Statements about `cross` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals.
From DPMatrix.generated Require cross.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem wishart_degrees_of_freedom_fails : ~ cross.wishart_degrees_of_freedom.
Proof. intros H. red in H. specialize (H 7%Z 3 (1 / 2)). fails_at H. Qed.
