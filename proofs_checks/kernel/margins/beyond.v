(* Statements about `beyond` whose traced margins have their sign at every point inside the hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From DPMatrix.generated Require beyond.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Section size.
Variable d : R.
Hypothesis d1 : 1 <= d.
Let k := d * (d + 1).
Lemma size_above : 2 <= k. Proof. unfold k. nra. Qed.

Lemma mean_square_closed :
  2 * (d * (d + 1) / 2) * (2 * (d * (d + 1) / 2) + 1) * ((1 + d * (d + 1) / 2 / (d * (d + 1) / 2 + 2)) *
    ((d + 1) * d * (d + 1 + d + 1) / (d * (d + 1) * (d * (d + 1) + 2)))
    - 2 * (d * (d + 1) / 2) / (d * (d + 1) / 2 + 1) / d)
  = 2 * (d + 1) * (d * (d + 1)) ^ 2 * (d * (d + 1) + 1) / ((d * (d + 1) + 2) * (d * (d + 1) + 4)).
Proof. pose proof size_above as K. unfold k in K. field. repeat split; nra. Qed.

Lemma quotient_of_mean_squares :
  2 * (d + 1) * k ^ 2 * (k + 1) / ((k + 2) * (k + 4)) = 2 * (d + 1) * k * (1 - (5 * k + 8) / ((k + 2) * (k + 4))).
Proof. pose proof size_above. field. split; lra. Qed.
End size.

Theorem coupled_traces_noise__closed_form : beyond.coupled_traces_noise__closed_form.
Proof.
  intros n H. set (d := IZR n) in *. assert (d1 : 1 <= d) by lra. pose proof (size_above d d1).
  repeat split; try nra. apply equation_holds, mean_square_closed, d1.
Qed.

(* the difference is (5 k + 8) / ((k + 2) (k + 4)) of the larger one, k = d (d + 1), and zero for d = 1 *)
Theorem coupled_traces_noise : beyond.coupled_traces_noise.
Proof.
  intros n H. set (d := IZR n) in *. assert (d1 : 1 <= d) by lra. pose proof (size_above d d1) as K.
  repeat split; try nra; try (intros; nra).
  destruct (Rlt_dec d 1); [lra |]. rewrite mean_square_closed by exact d1.
  pose proof (quotient_of_mean_squares d d1) as Q. cbv zeta in Q.
  destruct (Rlt_dec 1 d) as [L | L]; rewrite Q.
  - replace (_ - _) with (2 * (d + 1) * (d * (d + 1)) * ((5 * (d * (d + 1)) + 8) / ((d * (d + 1) + 2) * (d * (d + 1) + 4))))
      by (field; split; lra).
    apply Rmult_le_pos; [nra |]. apply quotient_nonnegative; nra.
  - replace d with 1 by lra. apply Req_le. field.
Qed.
