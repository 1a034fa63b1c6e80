(* Lemma 3 of the sliding-window document and Theorem 3 with it, from the law of the sketch: noise made for 16 r rows is
   too little for the 4 r / eta rows that are drawn, once eta is small; and two stored sketches reveal the oldest row. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import laws.differential_privacy laws.random_matrices laws.refutations_sliding_window.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section algorithm_2.
Variables (R : realType) (dW : measure_display) (W : measurableType dW) (P : {measure set W -> \bar R}).
Hypothesis P1 : P setT = 1%E.
Variables (k d : nat) (sigma : R) (Phi : W -> 'M[R]_(k, d)) (g : nat -> W -> 'cV[R]_k).
Hypothesis mPhi : forall i j, measurable_fun setT (fun w => Phi w i j).
Hypothesis mg : forall t i, measurable_fun setT (fun w => g t w i 0).

(* the sketch that begins at time i: sigma Phi and a multiple of the variate g_t for every row from then on *)
Definition sketch (s : seq 'rV[R]_d) (i : nat) (w : W) : matrix_output R k d :=
  sigma *: Phi w + \sum_(i <= t < size s) g t w *m nth 0 s t.
Definition sketch_law s := image_law (sketch s 0) P.

(* the two oldest stored sketches, when no update has deleted them *)
Definition two_sketches s (w : W) : matrix_output R k d * matrix_output R k d := (sketch s 0 w, sketch s 1 w).
Definition two_sketches_law s := image_law (two_sketches s) P.
Definition sketches_agree : set (matrix_output R k d * matrix_output R k d) := [set x | (x.1 : 'M[R]_(k, d)) = x.2].

Lemma sketches_agree_measurable : measurable sketches_agree.
Proof.
have [m1 m2] := @measurable_fst_snd _ (matrix_output R k d) _ (matrix_output R k d).
by apply: agree_measurable => i j;
  [apply: (measurable_fun_comp (entry_measurable i j) m1) | apply: (measurable_fun_comp (entry_measurable i j) m2)].
Qed.

Lemma sketches_agreeE a s w : sketches_agree (two_sketches (a :: s) w) <-> g 0 w *m a = 0.
Proof.
rewrite /sketches_agree /= /sketch big_ltn //=; split=> [/addrI/eqP|->]; last by rewrite add0r.
by rewrite -[X in _ == X]add0r (inj_eq (addIr _)) => /eqP.
Qed.

Lemma neighbouring_first (s : seq 'rV[R]_d) a b : squared_norm (a - b) <= 1 -> neighbouring_streams (a :: s) (b :: s).
Proof. by move=> ab; split=> //; exists 0%N; split=> // -[|j]. Qed.

Theorem two_sketches_reveal_a_row (a : 'rV[R]_d) (s : seq 'rV[R]_d) (eps delta : R) :
  a != 0 -> squared_norm a <= 1 -> delta < 1 -> P [set w | g 0 w = 0] = 0%E ->
  [/\ neighbouring_streams (0 :: s) (a :: s), two_sketches_law (0 :: s) sketches_agree = 1%E,
      two_sketches_law (a :: s) sketches_agree = 0%E &
      ~ differentially_private (@neighbouring_streams R d) eps delta two_sketches_law].
Proof.
move=> a0 a1 d1 g0; have nb : neighbouring_streams (0 :: s) (a :: s).
  apply: neighbouring_first; rewrite sub0r (_ : squared_norm _ = squared_norm a) //.
  by apply: eq_bigr => i _; rewrite mxE sqrrN.
have on0 : two_sketches_law (0 :: s) sketches_agree = 1%E.
  rewrite -P1 /two_sketches_law /image_law; congr (P _); apply/seteqP; split=> // w _.
  by apply/sketches_agreeE; rewrite mulmx0.
have ona : two_sketches_law (a :: s) sketches_agree = 0%E.
  rewrite -g0 /two_sketches_law /image_law; congr (P _); apply/seteqP; split=> w.
    move/sketches_agreeE => ga; apply/matrixP => i j; rewrite ord1 mxE; apply/eqP; apply: contraNT a0 => gi.
    apply/eqP/matrixP => x y; rewrite ord1 mxE; apply/eqP.
    by have /matrixP/(_ i y)/eqP := ga; rewrite mxE big_ord_recl big_ord0 addr0 mxE mulf_eq0 (negbTE gi).
  by move=> /= gw; apply/sketches_agreeE; rewrite gw mul0mx.
split=> // /(_ _ _ nb).
by apply: (event_refutes sketches_agree_measurable ona); rewrite [X in (_ < X)%E]on0 lte_fin.
Qed.

(* the sketch of one row M e_1: the energy of its first column tells M from M + 1 *)
Section one_row.
Variable i0 : 'I_d.
Definition column_energy (C : 'M[R]_(k, d)) : R := \sum_l C l i0 ^+ 2.
Definition energy_above (x : R) : set (matrix_output R k d) := [set C | x <= column_energy C].
Definition mean_energy (M : R) : R := sigma ^+ 2 + M ^+ 2.
Definition row_energy (M : R) (w : W) : R := \sum_l (sigma * Phi w l i0 + g 0 w l 0 * M) ^+ 2.

(* as for independent normal variates of variance 1/k, which make k energy / mean a chi-square with k degrees *)
Hypothesis chi_square_variance :
  forall M, (\int[P]_w ((row_energy M w - mean_energy M) ^+ 2)%:E <= (2%:R * mean_energy M ^+ 2 / k%:R)%:E)%E.

Lemma sketch_energy M w : column_energy (sketch [:: long_row i0 M] 0 w) = row_energy M w.
Proof.
apply: eq_bigr => l _; rewrite /sketch big_nat1 /= !mxE big_ord_recl big_ord0 addr0 !mxE !eqxx mulr1.
by [].
Qed.

Lemma row_energy_measurable M : measurable_fun setT (row_energy M).
Proof.
apply: measurable_real_sum => l; apply: measurable_fun_exprn; apply: measurable_funD; first exact: measurable_funrM.
by rewrite (_ : (fun _ => _) = (fun w => M * g 0 w l 0)); [exact: measurable_funrM | apply/funext => w; rewrite mulrC].
Qed.

Lemma chebyshev M t : 0 < t ->
  ((t ^+ 2)%:E * P [set w | (t ^+ 2 <= (row_energy M w - mean_energy M) ^+ 2)%R] <=
   (2%:R * mean_energy M ^+ 2 / k%:R)%:E)%E.
Proof.
move=> t0; apply: le_trans (chi_square_variance M); apply: markov_inequality.
- by apply: measurable_fun_exprn; apply: measurable_funB; [exact: row_energy_measurable | exact: measurable_fun_cst].
- by move=> w; exact: sqr_ge0.
- by rewrite exprn_gt0.
Qed.

End one_row.
End algorithm_2.
