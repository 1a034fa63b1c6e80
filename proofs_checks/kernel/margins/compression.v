(* Statements about `compression` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From DPMatrix.generated Require compression.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_5_1__triangle : compression.theorem_5_1__triangle.
Proof. margin. Qed.

Theorem lemma_4_4__triangle : compression.lemma_4_4__triangle.
Proof. margin. Qed.

Theorem lemma_4_4__union : compression.lemma_4_4__union.
Proof.
  intros n c r m Hn Hc. assert (0 < IZR n * IZR c) by nra. repeat split; try nra.
  replace (_ - _) with ((3 * IZR c - 1) / (4 * IZR n ^ 2 * IZR c)) by (field; lra).
  apply Rdiv_lt_0_compat; [lra |]. repeat apply Rmult_lt_0_compat; nra.
Qed.

Theorem remark_4_3__ratio : compression.remark_4_3__ratio.
Proof.
  intros f s a b n Hs Ha Hb. assert (0 < s / (1 - b)) by (apply Rdiv_lt_0_compat; lra).
  repeat split; try lra; [nra |]. apply equation_holds. field. repeat split; lra.
Qed.

Theorem lemma_b_1__first_constant : compression.lemma_b_1__first_constant.
Proof.
  intros p H. apply equation_meant in H. subst p. repeat split; interval with (i_prec 60).
Qed.
