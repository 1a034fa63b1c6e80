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

Lemma energy_above_measurable x : measurable (energy_above x).
Proof.
have mE : measurable_fun setT (fun C : matrix_output R k d => column_energy C).
  by apply: measurable_real_sum => l; apply: measurable_fun_exprn; exact: entry_measurable.
have := mE measurableT `[x, +oo[%classic (measurable_itv _); rewrite setTI.
by rewrite (_ : _ @^-1` _ = energy_above x) //; apply/seteqP; split=> C /=; rewrite in_itv /= andbT.
Qed.

Lemma probability_le M t (A : set W) : 0 < t -> measurable A ->
  (forall w, A w -> t ^+ 2 <= (row_energy M w - mean_energy M) ^+ 2) ->
  exists2 p : R, P A = p%:E & 0 <= p /\ t ^+ 2 * p <= 2%:R * mean_energy M ^+ 2 / k%:R.
Proof.
move=> t0 mA At; have PA : ((t ^+ 2)%:E * P A <= (2%:R * mean_energy M ^+ 2 / k%:R)%:E)%E.
  apply: le_trans (chebyshev M t0); apply: lee_wpmul2l; first by rewrite lee_fin sqr_ge0.
  apply: le_measure => //; rewrite inE //.
  have mX : measurable_fun setT (fun w => (row_energy M w - mean_energy M) ^+ 2).
    by apply: measurable_fun_exprn; apply: measurable_funB; [exact: row_energy_measurable | exact: measurable_fun_cst].
  have := mX measurableT `[t ^+ 2, +oo[%classic (measurable_itv _); rewrite setTI.
  by rewrite (_ : _ @^-1` _ = [set w | t ^+ 2 <= (row_energy M w - mean_energy M) ^+ 2]) //;
    apply/seteqP; split=> w /=; rewrite in_itv /= andbT.
have A1 : (P A <= 1)%E by rewrite -P1; apply: le_measure; rewrite ?inE.
have A0 : (0 <= P A)%E by exact: measure_ge0.
case: (P A) PA A1 A0 => [p| |] //; rewrite -EFinM !lee_fin => pb _ p0.
by exists p.
Qed.

Lemma many_sketches_reveal_a_row (eps delta M : R) : 0 <= M -> (0 < k)%N ->
  8%:R * (1 + expR eps) * (sigma ^+ 2 + (M + 1) ^+ 2) ^+ 2 < (1 - delta) * (2%:R * M + 1) ^+ 2 * k%:R ->
  ~ indistinguishable eps delta (sketch_law [:: long_row i0 (M + 1)]) (sketch_law [:: long_row i0 M]).
Proof.
move=> M0 k0 big; set t := (2%:R * M + 1) / 2%:R.
have t0 : 0 < t by rewrite divr_gt0 ?ltr0n // ltr_spaddr // mulr_ge0 // ler0n.
pose x := mean_energy M + t.
have xE : x = mean_energy (M + 1) - t by rewrite /x /mean_energy /t; field.
have mA : measurable [set w | x <= row_energy M w].
  rewrite -[X in measurable X]setTI; have := row_energy_measurable M measurableT (measurable_itv `[x, +oo[).
  by rewrite (_ : _ @^-1` _ = [set w | x <= row_energy M w]) //; apply/seteqP; split=> w /=; rewrite in_itv /= andbT.
have mB : measurable [set w | row_energy (M + 1) w < x].
  rewrite -[X in measurable X]setTI; have := row_energy_measurable (M + 1) measurableT (measurable_itv `]-oo, x[).
  by rewrite (_ : _ @^-1` _ = [set w | row_energy (M + 1) w < x]) //; apply/seteqP; split=> w /=; rewrite in_itv.
have far (y : R) : t <= `|y| -> t ^+ 2 <= y ^+ 2 by move=> ty; rewrite -(real_normK (num_real y)) ler_expn2r // nnegrE ltW.
have fA w : x <= row_energy M w -> t ^+ 2 <= (row_energy M w - mean_energy M) ^+ 2.
  by move=> Aw; apply: far; rewrite (le_trans _ (ler_norm _)) // ler_subr_addl.
have fB w : row_energy (M + 1) w < x -> t ^+ 2 <= (row_energy (M + 1) w - mean_energy (M + 1)) ^+ 2.
  by move=> Bw; apply: far; rewrite distrC (le_trans _ (ler_norm _)) // ler_subr_addl -ler_subr_addr -xE ltW.
have [p PA [p0 pb]] := probability_le t0 mA fA; have [q PB [q0 qb]] := probability_le t0 mB fB.
have law0 : sketch_law [:: long_row i0 M] (energy_above x) = p%:E.
  by rewrite -PA /sketch_law /image_law; congr (P _); apply/seteqP; split=> w;
    rewrite /energy_above /= sketch_energy.
have law1 : sketch_law [:: long_row i0 (M + 1)] (energy_above x) = (1 - q)%:E.
  have -> : sketch_law [:: long_row i0 (M + 1)] (energy_above x) = P (~` [set w | row_energy (M + 1) w < x]).
    rewrite /sketch_law /image_law; congr (P _); apply/seteqP; split=> w; rewrite /energy_above /= sketch_energy.
      by rewrite leNgt => /negP.
    by move/negP; rewrite -leNgt.
  set B := [set w | row_energy (M + 1) w < x].
  have : (P (B `|` ~` B) = P B + P (~` B))%E by apply: measureU; rewrite ?setICr //; exact: measurableC.
  rewrite setUv P1 PB.
  have : (0 <= P (~` B))%E by exact: measure_ge0.
  case: (P (~` _)) => [y| |] //; rewrite -EFinD => _ [->]; congr EFin.
  by rewrite addrC addKr.
move=> /(_ _ (energy_above_measurable x)); rewrite law0 law1 -EFinM -EFinD lee_fin => le.
have e0 : 0 <= expR eps by exact/ltW/expR_gt0.
have kR : 0 < k%:R :> R by rewrite ltr0n.
have vv : mean_energy M ^+ 2 <= mean_energy (M + 1) ^+ 2.
  have v0 N : 0 <= mean_energy N by rewrite addr_ge0 // sqr_ge0.
  by rewrite ler_expn2r ?nnegrE // ler_add2l ler_expn2r ?nnegrE ?addr_ge0 // ler_addl.
have tE : (2%:R * M + 1) ^+ 2 = 4%:R * t ^+ 2 by rewrite /t; field.
move: pb qb; rewrite !ler_pdivl_mulr // => pb qb; move: big; rewrite tE ltNge => /negP; apply.
have -> : (1 - delta) * (4%:R * t ^+ 2) * k%:R = 4%:R * (t ^+ 2 * k%:R * (1 - delta)) by ring.
have -> : 8%:R * (1 + expR eps) * (sigma ^+ 2 + (M + 1) ^+ 2) ^+ 2 =
    4%:R * (2%:R * mean_energy (M + 1) ^+ 2 + expR eps * (2%:R * mean_energy (M + 1) ^+ 2)).
  by rewrite /mean_energy; ring.
rewrite ler_pmul2l ?ltr0n //; apply: (@le_trans _ _ (t ^+ 2 * k%:R * (q + expR eps * p))).
  apply: ler_wpmul2l; first by rewrite mulr_ge0 ?sqr_ge0 // ltW.
  by move: le; rewrite !ler_subl_addr [q + _]addrC addrAC.
rewrite mulrDr; apply: ler_add; first by rewrite mulrAC.
have -> : t ^+ 2 * k%:R * (expR eps * p) = expR eps * (t ^+ 2 * p * k%:R) by ring.
apply: ler_wpmul2l => //; apply: (le_trans pb); by apply: ler_wpmul2l.
Qed.
End one_row.
End algorithm_2.

(* line 7 of Algorithm 3 *)
Definition printed_sigma (R : realType) (r : nat) (eps delta : R) : R :=
  (16%:R * Num.sqrt (r%:R * ln (4%:R / delta)) + ln (4%:R / delta)) / eps.

(* the law of the output of Algorithm 2 with k = 4 r / eta rows, on streams of one row, is the sketch with the printed
   sigma; for every r, eps, delta and M it breaks the guarantee once k is large, that is, once eta is small *)
Theorem lemma_3_is_refuted (R : realType) (r : nat) (eps delta M : R) : delta < 1 -> 0 <= M ->
  exists k0 : nat, forall (k d : nat) (i0 : 'I_d) (dW : measure_display) (W : measurableType dW)
    (P : {measure set W -> \bar R}) (Phi : W -> 'M[R]_(k, d)) (g : nat -> W -> 'cV[R]_k), (k0 < k)%N ->
    let sigma := printed_sigma r eps delta in
    P setT = 1%E -> (forall i j, measurable_fun setT (fun w => Phi w i j)) ->
    (forall t i, measurable_fun setT (fun w => g t w i 0)) ->
    (forall N, (\int[P]_w ((row_energy sigma Phi g i0 N w - mean_energy sigma N) ^+ 2)%:E <=
               (2%:R * mean_energy sigma N ^+ 2 / k%:R)%:E)%E) ->
    [/\ neighbouring_streams [:: long_row i0 M] [:: long_row i0 (M + 1)],
      ~ indistinguishable eps delta (sketch_law P sigma Phi g [:: long_row i0 (M + 1)])
                                    (sketch_law P sigma Phi g [:: long_row i0 M]) &
      ~ differentially_private (@neighbouring_streams R d) eps delta (sketch_law P sigma Phi g)].
Proof.
move=> d1 M0; pose sigma := printed_sigma r eps delta.
pose low := (1 - delta) * (2%:R * M + 1) ^+ 2.
have low0 : 0 < low by rewrite mulr_gt0 ?subr_gt0 // exprn_gt0 // ltr_spaddr // mulr_ge0 // ler0n.
pose high := 8%:R * (1 + expR eps) * (sigma ^+ 2 + (M + 1) ^+ 2) ^+ 2.
have high0 : 0 <= high / low.
  apply: divr_ge0; last exact: ltW.
  by rewrite /high mulr_ge0 ?sqr_ge0 // mulr_ge0 ?ler0n // addr_ge0 // ltW // expR_gt0.
exists (Num.bound (high / low)) => k d i0 dW W P Phi g kk /= P1 mPhi mg chi.
have big : high < low * k%:R.
  rewrite mulrC -ltr_pdivr_mulr //; apply: (lt_le_trans (archi_boundP high0)); rewrite ler_nat; exact: ltnW.
have no := many_sketches_reveal_a_row P1 mPhi mg chi M0 (leq_ltn_trans (leq0n _) kk) big.
split=> //; first exact: long_rows_are_neighbours.
move=> dp; apply: no; apply: dp; split=> //; exists 0%N; split=> [|[|j]] //.
rewrite /long_row /= -scalerBl addrAC subrr add0r scale1r /squared_norm (bigD1 i0) //= mxE !eqxx expr1n.
by rewrite big1 ?addr0 // => j ji; rewrite mxE (negbTE ji) andbF expr0n.
Qed.
