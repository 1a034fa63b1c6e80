(* The margins of the statements of `wishart`: those that hold, and those that fail at a witness. *)
From Coq Require Import Reals Lra.
From DPMatrix.generated Require wishart.
Local Open Scope R_scope.

Theorem definition_5_repaired : wishart.definition_5_repaired.
Proof. intros v w inner Hv Hw Hi Hv1 Hw1. nra. Qed.
