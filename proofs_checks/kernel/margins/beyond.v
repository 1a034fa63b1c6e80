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

(* With h = eps s rho and u = eps s r the line is 1 + (h^2 - u^2)/(2 h): at most 1 + (h - u), and at most 1 + h/2. *)
Lemma line_below : forall eps s rho r g m q L, 0 < eps -> 0 < s -> 0 <= r -> 0 < rho ->
  eps * s * rho = L - eps * g -> m = q + g -> 0 < eps * s * rho - eps * q - ln (1 + Rmax (eps * s * rho) 0 / 2) ->
  0 <= exp (- eps * Rmax (s * r + g) m + L) - 1 - eps * s * (rho ^ 2 - r ^ 2) / (2 * rho).
Proof.
  intros eps s rho r g m q L E S R P H M F.
  assert (h0 : 0 < eps * s * rho) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption).
  assert (u0 : 0 <= eps * s * r) by (apply Rmult_le_pos; [apply Rlt_le, Rmult_lt_0_compat |]; assumption).
  set (h := eps * s * rho) in *. set (u := eps * s * r) in *.
  assert (line : eps * s * (rho ^ 2 - r ^ 2) / (2 * rho) = (h ^ 2 - u ^ 2) / (2 * h)).
  { unfold h, u. field. repeat split; lra. }
  rewrite line. rewrite Rmax_left in F by lra.
  assert (split : (h ^ 2 - u ^ 2) / (2 * h) = (h - u) - (h - u) ^ 2 / (2 * h)) by (field; lra).
  assert (half : (h ^ 2 - u ^ 2) / (2 * h) = h / 2 - u ^ 2 / (2 * h)) by (field; lra).
  assert (first : 0 <= (h - u) ^ 2 / (2 * h)) by (apply quotient_nonnegative; [apply pow2_ge_0 | lra]).
  assert (second : 0 <= u ^ 2 / (2 * h)) by (apply quotient_nonnegative; [apply pow2_ge_0 | lra]).
  unfold Rmax. destruct (Rle_dec (s * r + g) m).
  - replace (- eps * m + L) with (h - eps * q) by (rewrite H, M; ring).
    assert (ln (1 + h / 2) < h - eps * q) as K by lra.
    apply exp_increasing in K. rewrite exp_ln in K by lra. lra.
  - replace (- eps * (s * r + g) + L) with (h - u) by (unfold u; rewrite H; ring).
    pose proof (exp_ineq1_le (h - u)). lra.
Qed.

Theorem least_noise__tangent : beyond.least_noise__tangent.
Proof.
  split; intros d r eps s D R E S (_ & _ & _ & _ & F).
  all: set (L := (IZR (Int_part (IZR d * (IZR d + 1) / 2)) - 1) * ln (s + 1)) in *.
  all: destruct (Rmin_Rgt_l _ _ _ F) as [P G].
  all: repeat split; try lra.
  - apply (line_below eps s ((L / eps - 1) / s) r 1 (IZR d - 1) (IZR d - 2) L); try assumption; try lra.
    field. split; lra.
  - apply (line_below eps s ((L / eps - 2) / s) r 2 (2 * (IZR d - 1)) (2 * (IZR d - 2)) L); try assumption; try lra.
    field. split; lra.
Qed.
