(* Three guarantees of the sliding-window document that fail, from the law of the output: noise of a fixed law does not
   hide a row of unbounded length (Theorems 11, 14, 17, 18), successive outputs under one noise differ by the row
   (Theorems 17 and 18), and so do two stored sketches (Lemma 3). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import laws.differential_privacy laws.random_matrices.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section streams.
Variables (R : realType) (d : nat).
Definition squared_norm (a : 'rV[R]_d) : R := \sum_i a 0 i ^+ 2.

(* section 1.1: the streams differ at one time at most, by a row of norm at most 1; rows have any length *)
Definition neighbouring_streams (s t : seq 'rV[R]_d) : Prop :=
  size s = size t /\
  exists i, squared_norm (nth 0 s i - nth 0 t i) <= 1 /\ forall j, j != i -> nth 0 s j = nth 0 t j.

(* A'A of the matrix with these rows *)
Definition covariance (s : seq 'rV[R]_d) : 'M[R]_d := \sum_(a <- s) a^T *m a.

Lemma neighbouring_last s a b : squared_norm (a - b) <= 1 -> neighbouring_streams (rcons s a) (rcons s b).
Proof.
move=> ab; split; first by rewrite !size_rcons.
exists (size s); rewrite !nth_rcons ltnn eqxx; split=> // j js; rewrite !nth_rcons.
by case: ltngtP js => // ->; rewrite eqxx.
Qed.

Lemma covariance_rcons s a : covariance (rcons s a) = covariance s + a^T *m a.
Proof. by rewrite /covariance -cats1 big_cat /= big_seq1. Qed.

Lemma outer_entry (a : 'rV[R]_d) i j : (a^T *m a) i j = a 0 i * a 0 j.
Proof. by rewrite mxE big_ord_recl big_ord0 addr0 mxE. Qed.

Lemma outer_eq0 (a : 'rV[R]_d) : a^T *m a = 0 -> a = 0.
Proof.
move=> a0; apply/matrixP => i j; rewrite ord1 mxE; apply/eqP.
by have /matrixP/(_ j j)/eqP := a0; rewrite outer_entry mxE mulf_eq0 orbb.
Qed.
End streams.

Section algorithm_8.
Variables (R : realType) (dW : measure_display) (W : measurableType dW) (P : {measure set W -> \bar R}).
Hypothesis P1 : P setT = 1%E.
Variable d : nat.

(* Algorithm 8 while its first checkpoint lives: the covariance of all rows and the noise of the first *)
Section with_noise.
Variable noise : W -> 'M[R]_d.
Definition output (s : seq 'rV[R]_d) : W -> matrix_output R d d := fun w => covariance s + noise w.
Definition output_law s := image_law (output s) P.
(* the outputs of the last two times, when all are published *)
Definition two_outputs s : W -> matrix_output R d d * matrix_output R d d :=
  fun w => (output (take (size s).-1 s) w, output s w).
Definition two_outputs_law s := image_law (two_outputs s) P.
Definition outputs_agree : set (matrix_output R d d * matrix_output R d d) :=
  [set x | (x.1 : 'M[R]_d) = x.2].

Lemma outputs_agree_measurable : measurable outputs_agree.
Proof.
have [m1 m2] := @measurable_fst_snd _ (matrix_output R d d) _ (matrix_output R d d).
by apply: agree_measurable => i j;
  [apply: (measurable_fun_comp (entry_measurable i j) m1) | apply: (measurable_fun_comp (entry_measurable i j) m2)].
Qed.

Lemma outputs_agree_on s a : two_outputs_law (rcons s a) outputs_agree = (a == 0)%:R%:E.
Proof.
have tk : take (size (rcons s a)).-1 (rcons s a) = s by rewrite size_rcons -cats1 take_size_cat.
rewrite /two_outputs_law /image_law (_ : _ @^-1` _ = [set w | a = 0]).
  have [->|/eqP a0] := eqVneq a 0; first by rewrite (_ : [set _ | _] = setT) //; apply/seteqP; split.
  by rewrite (_ : [set _ | _] = set0) ?measure0 //; apply/seteqP; split.
apply/seteqP; split=> w /=; rewrite /outputs_agree /= tk /output covariance_rcons.
  by move/addIr/eqP; rewrite -[X in X == _]addr0 (inj_eq (addrI _)) eq_sym => /eqP; exact: outer_eq0.
by move=> ->; rewrite mulmx0 addr0.
Qed.

Theorem successive_outputs_are_not_private (a : 'rV[R]_d) (s : seq 'rV[R]_d) (eps delta : R) :
  a != 0 -> squared_norm a <= 1 -> delta < 1 ->
  [/\ neighbouring_streams (rcons s 0) (rcons s a), two_outputs_law (rcons s 0) outputs_agree = 1%E,
      two_outputs_law (rcons s a) outputs_agree = 0%E &
      ~ differentially_private (@neighbouring_streams R d) eps delta two_outputs_law].
Proof.
move=> a0 a1 d1; have nb : neighbouring_streams (rcons s 0) (rcons s a).
  apply: neighbouring_last; rewrite sub0r (_ : squared_norm _ = squared_norm a) //.
  by apply: eq_bigr => i _; rewrite mxE sqrrN.
have on0 := outputs_agree_on s 0; have ona := outputs_agree_on s a.
rewrite eqxx in on0; rewrite (negbTE a0) in ona; split=> // /(_ _ _ nb).
by apply: (event_refutes outputs_agree_measurable ona); rewrite [X in (_ < X)%E]on0 lte_fin.
Qed.
End with_noise.

(* the first output of Algorithm 8, for the row M e_1 and Wishart noise G'G with tau degrees of freedom *)
Section long_rows.
Variables (tau : nat) (G : W -> 'M[R]_(tau, d)) (i0 : 'I_d).
Hypothesis mG : forall k j, measurable_fun setT (fun w => G w k j).
Definition wishart (w : W) : 'M[R]_d := (G w)^T *m G w.
Definition long_row (M : R) : 'rV[R]_d := M *: delta_mx 0 i0.
Definition energy (w : W) : R := \sum_k G w k i0 ^+ 2.
Definition below (x : R) : set (matrix_output R d d) := [set C | (C : 'M[R]_d) i0 i0 < x].

Lemma energy_measurable : measurable_fun setT energy.
Proof. by apply: measurable_real_sum => k; apply: measurable_fun_exprn. Qed.

Lemma below_measurable x : measurable (below x).
Proof.
have := @entry_measurable R d d i0 i0; move=> /(_ measurableT `]-oo, x[%classic (measurable_itv _)).
by rewrite setTI (_ : _ @^-1` _ = below x) //; apply/seteqP; split=> C /=; rewrite in_itv.
Qed.

Lemma energy_below x : measurable [set w | energy w < x].
Proof.
have := energy_measurable measurableT (measurable_itv `]-oo, x[); rewrite setTI.
by rewrite (_ : _ @^-1` _ = [set w | energy w < x]) //; apply/seteqP; split=> w /=; rewrite in_itv.
Qed.

Lemma long_row_output M w : (output wishart [:: long_row M] w : 'M[R]_d) i0 i0 = M ^+ 2 + energy w.
Proof.
have row0 : long_row M 0 i0 = M by rewrite !mxE !eqxx mulr1.
rewrite /output /covariance big_seq1 mxE outer_entry row0 -expr2; congr (_ + _).
by rewrite mxE; apply: eq_bigr => k _; rewrite mxE -expr2.
Qed.

Lemma long_row_law M x : output_law wishart [:: long_row M] (below x) = P [set w | energy w < x - M ^+ 2].
Proof.
rewrite /output_law /image_law (_ : _ @^-1` _ = [set w | energy w < x - M ^+ 2]) //.
by apply/seteqP; split=> w /=; rewrite /below /= long_row_output ltr_subr_addr [M ^+ 2 + _]addrC.
Qed.

Lemma long_rows_are_neighbours M : neighbouring_streams [:: long_row M] [:: long_row (M + 1)].
Proof.
apply: (@neighbouring_last _ _ [::]); rewrite /long_row -scalerBl opprD addrA subrr sub0r scaleN1r.
rewrite (_ : squared_norm _ = 1) // /squared_norm (bigD1 i0) //= !mxE !eqxx sqrrN expr1n big1 ?addr0 // => j ji.
by rewrite !mxE (negbTE ji) andbF oppr0 expr0n.
Qed.

(* the event has probability Pr(chi-square with tau degrees < 2M + 1) on M e_1 and zero on (M+1) e_1 *)
Lemma long_row_event M (eps delta : R) : (delta%:E < P [set w | (energy w < 2%:R * M + 1)%R])%E ->
  ~ differentially_private (@neighbouring_streams R d) eps delta (output_law wishart).
Proof.
move=> big /(_ _ _ (long_rows_are_neighbours M)); apply: (event_refutes (below_measurable ((M + 1) ^+ 2))).
  rewrite long_row_law subrr (_ : [set _ | _] = set0) ?measure0 //; apply/seteqP; split=> w //=.
  by rewrite ltNge sumr_ge0 // => k _; exact: sqr_ge0.
by rewrite long_row_law (_ : (M + 1) ^+ 2 - M ^+ 2 = 2%:R * M + 1) //; ring.
Qed.

Theorem wishart_noise_does_not_hide_long_rows (eps delta : R) : delta < 1 ->
  exists M : nat, (delta%:E < P [set w | (energy w < 2%:R * M%:R + 1)%R])%E /\
    ~ differentially_private (@neighbouring_streams R d) eps delta (output_law wishart).
Proof.
move=> d1; pose F (M : nat) := [set w | energy w < 2%:R * M%:R + 1].
have cv : (P \o F) --> P (\bigcup_M F M).
  apply: nondecreasing_cvg_mu => [M| |]; first exact: energy_below.
    by apply: bigcupT_measurable => M; exact: energy_below.
  move=> M N MN; apply/subsetPset => w /=; rewrite /F /= => h; apply: (lt_le_trans h).
  by rewrite ler_add2r ler_pmul2l ?ltr0n // ler_nat.
have all : \bigcup_M F M = setT.
  apply/seteqP; split=> // w _; exists (Num.bound (energy w)) => //=; rewrite /F /=.
  have e0 : 0 <= energy w by apply: sumr_ge0 => k _; exact: sqr_ge0.
  apply: (lt_le_trans (archi_boundP e0)); rewrite -[X in X <= _]mul1r ler_paddr // ler_wpmul2r ?ler0n //.
  by rewrite ler1n.
rewrite all P1 in cv.
apply: contrapT => no; suff : (1 <= delta%:E :> \bar R)%E by rewrite lee_fin leNgt d1.
rewrite -(cvg_lim _ cv) //; apply: lime_le; first by apply/cvg_ex; exists 1%E.
apply: nearW => M /=; rewrite leNgt; apply/negP => big.
by apply: no; exists M; split => //; exact: (long_row_event big).
Qed.

(* the entries of G have second moment 1, as those of a Wishart matrix with scale I: every longer row is revealed *)
Theorem every_long_row_is_revealed (eps delta M : R) : (forall k, \int[P]_w (G w k i0 ^+ 2)%:E = 1)%E ->
  0 <= M -> tau%:R < (1 - delta) * (2%:R * M + 1) ->
  (delta%:E < P [set w | (energy w < 2%:R * M + 1)%R])%E /\
  ~ indistinguishable eps delta (output_law wishart [:: long_row M]) (output_law wishart [:: long_row (M + 1)]).
Proof.
move=> second M0 big; have c0 : 0 < 2%:R * M + 1 by rewrite ltr_spaddr // mulr_ge0 // ler0n.
suff lt : (delta%:E < P [set w | (energy w < 2%:R * M + 1)%R])%E.
  split=> //; apply: (event_refutes (below_measurable ((M + 1) ^+ 2))).
    rewrite long_row_law subrr (_ : [set _ | _] = set0) ?measure0 //; apply/seteqP; split=> w //=.
    by rewrite ltNge sumr_ge0 // => k _; exact: sqr_ge0.
  by rewrite long_row_law (_ : (M + 1) ^+ 2 - M ^+ 2 = 2%:R * M + 1) //; ring.
have e0 w : 0 <= energy w by apply: sumr_ge0 => k _; exact: sqr_ge0.
have := markov_inequality P energy_measurable e0 c0.
have -> : (\int[P]_w (energy w)%:E = tau%:R%:E)%E.
  rewrite /energy; under eq_integral => w _ do rewrite -sumEFin.
  rewrite ge0_integral_sum //; last 2 first.
  - by move=> k; apply: measurable_fun_comp; [exact: measurable_fun_EFin | apply: measurable_fun_exprn].
  - by move=> k w _; rewrite lee_fin sqr_ge0.
  under eq_bigr => k _ do rewrite second.
  by rewrite sumEFin sumr_const card_ord.
set c := 2%:R * M + 1 => bound.
have both : (P [set w | (energy w < c)%R] + P [set w | (c <= energy w)%R] = 1)%E.
  rewrite -measureU; first last.
  - by apply/seteqP; split=> w //= []; rewrite leNgt => ->.
  - rewrite (_ : [set _ | _] = ~` [set w | energy w < c]); first exact/measurableC/energy_below.
    by apply/seteqP; split=> w /=; rewrite leNgt => /negP.
  - exact: energy_below.
  by rewrite -P1; congr (P _); apply/seteqP; split=> w //= _; case: (ltP (energy w) c); [left | right].
have : (P [set w | (energy w < c)%R] <= 1)%E by rewrite -both lee_addl.
have := measure_ge0 P [set w | energy w < c]; have := measure_ge0 P [set w | c <= energy w].
move: both bound; case: (P [set w | c <= energy w]) => [p| |]; case: (P [set w | energy w < c]) => [q| |] //.
move=> [qp]; rewrite -EFinM lee_fin => bound _ _ _; rewrite lte_fin.
have -> : q = 1 - p by rewrite -qp addrK.
rewrite ltr_subr_addr -ltr_subr_addl.
by rewrite -(ltr_pmul2l c0); apply: (le_lt_trans bound); rewrite mulrC.
Qed.
End long_rows.
End algorithm_8.
