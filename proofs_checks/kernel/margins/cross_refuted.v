(* Statements about `cross` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals.
From DPMatrix.generated Require cross.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem gaussian_constant__slides_as_printed_fails : ~ cross.gaussian_constant__slides_as_printed.
Proof. intros H. red in H. specialize (H 1%Z 2 (1 / 40)). fails_at H. Qed.

Theorem wishart_degrees_of_freedom_fails : ~ cross.wishart_degrees_of_freedom.
Proof. intros H. red in H. specialize (H 7%Z 3 (1 / 2)). fails_at H. Qed.

Theorem low_rank_lower_bounds__additive_error_of_theorem_19_fails : ~ cross.low_rank_lower_bounds__additive_error_of_theorem_19.
Proof. intros H. red in H. specialize (H 1%Z 3%Z). fails_at H. Qed.
