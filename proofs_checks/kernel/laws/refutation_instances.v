(* The refutations of the sliding-window and the compression claims apply to probability spaces that exist: noise that is
   uniform on [0, 1] in every entry, and variates whose moments are those that the theorems suppose. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From DPMatrix Require Import laws.differential_privacy laws.random_matrices laws.refutations_sliding_window.
From DPMatrix Require Import laws.refutations_sketches laws.refutations_compression laws.refutations_gaussian.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section uniform.
Variable R : realType.

Lemma unit_interval_measurable : measurable (`[0, 1]%classic : set R). Proof. exact: measurable_itv. Qed.
Definition uniform := [the measure _ _ of mrestr (@lebesgue_measure R) unit_interval_measurable].

Lemma uniform_total : uniform setT = 1%E.
Proof.
rewrite /uniform /= /mrestr setTI lebesgue_measure_itv hlength_itv /= lte_fin ltr01.
by rewrite -EFinD subr0.
Qed.

Lemma uniform_zero : uniform [set 0] = 0%E.
Proof.
apply/eqP; rewrite -measure_le0 -(lebesgue_measure_set1 (0 : R)) /uniform /= /mrestr.
by apply: le_measure; rewrite ?inE //; apply: measurableI => //; exact: measurable_itv.
Qed.

Variable d : nat.
Definition unit_row : 'rV[R]_d.+1 := delta_mx 0 0.
Lemma unit_row_neq0 : unit_row != 0.
Proof. by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE !eqxx oner_eq0. Qed.
Lemma unit_row_norm : squared_norm unit_row <= 1.
Proof.
by rewrite /squared_norm (bigD1 0) //= mxE !eqxx expr1n big1 ?addr0 // => j j0; rewrite mxE (negbTE j0) andbF expr0n.
Qed.

(* every entry is the variate itself *)
Definition entries m n : R -> 'M[R]_(m, n) := fun w => const_mx w.
Lemma entries_measurable m n i j : measurable_fun setT (fun w => entries m n w i j).
Proof. by rewrite (_ : (fun _ => _) = id); [exact: measurable_fun_id | apply/funext => w; rewrite mxE]. Qed.

Theorem successive_outputs_instance (eps delta : R) : delta < 1 ->
  ~ differentially_private (@neighbouring_streams R d.+1) eps delta (two_outputs_law uniform (entries d.+1 d.+1)).
Proof.
move=> d1; have := @successive_outputs_are_not_private R _ _ uniform uniform_total d.+1 (entries d.+1 d.+1) (unit_row) [::] eps.
by move=> /(_ delta unit_row_neq0 unit_row_norm d1) [].
Qed.

Lemma constant_measurable m n (A : 'M[R]_(m, n)) i j : measurable_fun setT (fun _ : R => A i j).
Proof. exact: measurable_fun_cst. Qed.

(* Wishart noise G'G where every entry of G is the variate *)
Theorem long_rows_instance (tau : nat) (eps delta : R) : delta < 1 ->
  ~ differentially_private (@neighbouring_streams R d.+1) eps delta
      (output_law uniform (wishart (entries tau d.+1))).
Proof.
move=> d1; have := @wishart_noise_does_not_hide_long_rows R _ _ uniform uniform_total d.+1 tau (entries tau d.+1) ord0.
by move=> /(_ (@entries_measurable _ _) eps delta d1) [M []].
Qed.

(* second moment 1: every entry of G is 1 *)
Theorem every_long_row_instance (tau : nat) (eps delta M : R) : 0 <= M -> tau%:R < (1 - delta) * (2%:R * M + 1) ->
  ~ indistinguishable eps delta
      (output_law uniform (wishart (fun=> const_mx 1 : 'M[R]_(tau, d.+1))) [:: long_row ord0 M])
      (output_law uniform (wishart (fun=> const_mx 1 : 'M[R]_(tau, d.+1))) [:: long_row ord0 (M + 1)]).
Proof.
move=> M0 big; have := @every_long_row_is_revealed R _ _ uniform uniform_total d.+1 tau (fun=> const_mx 1) ord0.
move=> /(_ (fun k j => constant_measurable _ k j) eps delta M) [] // k.
under eq_integral => w _ do rewrite mxE expr1n.
by rewrite integral_cst //= mul1e uniform_total.
Qed.

Theorem two_sketches_instance (k : nat) (sigma eps delta : R) : delta < 1 ->
  ~ differentially_private (@neighbouring_streams R d.+1) eps delta
      (two_sketches_law uniform sigma (entries k.+1 d.+1) (fun=> entries k.+1 1)).
Proof.
move=> d1; have := @two_sketches_reveal_a_row R _ _ uniform uniform_total k.+1 d.+1 sigma (entries k.+1 d.+1).
move=> /(_ (fun=> entries k.+1 1) unit_row [::] eps delta unit_row_neq0 unit_row_norm d1) [] //.
rewrite -[RHS]uniform_zero; congr (uniform _); apply/seteqP; split=> w /=.
  by move=> /matrixP/(_ 0 0); rewrite !mxE.
by move=> ->; apply/matrixP => i j; rewrite !mxE.
Qed.

Lemma one_changed_sign_instance (m n p : nat) (eps delta : R) : delta < 1 ->
  ~ differentially_private (@neighbouring_signs R n.+1 p.+2) eps delta
      (truncated_law uniform (entries m.+1 n.+1) (fun=> setT)).
Proof.
move=> d1; have := @one_changed_sign_is_revealed R _ _ uniform uniform_total m.+1 n.+1 p.+2 (entries m.+1 n.+1).
move=> /(_ (@entries_measurable _ _) (fun=> setT)).
have pos X : (0 < uniform (compressed (entries m.+1 n.+1) X @^-1` [set: matrix_output R m.+1 p.+2]))%E.
  by rewrite preimage_setT uniform_total lte_fin.
move=> /(_ pos ord0 (lift ord0 ord0) ord0 ord0 eps delta isT d1) [] // .
  rewrite -[RHS]uniform_zero; congr (uniform _); apply/seteqP; split=> w /=; by rewrite mxE.
by move=> X [Y []].
Qed.
End uniform.

(* k >= 2 rows: the first column of Phi is the first unit vector and g the second, so that the energy is its mean *)
Theorem lemma_3_instance (R : realType) (r : nat) (eps delta M : R) : delta < 1 -> 0 <= M ->
  exists (k : nat) (Phi : R -> 'M[R]_(k, 1)) (g : nat -> R -> 'cV[R]_k),
    ~ differentially_private (@neighbouring_streams R 1) eps delta
        (sketch_law (uniform R) (printed_sigma r eps delta) Phi g).
Proof.
move=> d1 M0; have [k0 no] := lemma_3_is_refuted r eps d1 M0.
pose k := k0.+2; pose one : 'I_k := lift ord0 ord0.
exists k, (fun=> delta_mx ord0 ord0), (fun _ _ => delta_mx one ord0).
have := no k 1%N ord0 _ _ (uniform R) (fun=> delta_mx ord0 ord0) (fun _ _ => delta_mx one ord0).
case=> //; first exact: ltnW.
- exact: uniform_total.
- by move=> i j; exact: measurable_fun_cst.
- by move=> t i; exact: measurable_fun_cst.
move=> N; rewrite (_ : row_energy _ _ _ _ N = fun=> mean_energy (printed_sigma r eps delta) N).
  rewrite (eq_integral (cst 0%E)) => [|w _]; last by rewrite subrr expr0n.
  by rewrite integral0 lee_fin divr_ge0 ?ler0n // mulr_ge0 ?ler0n // sqr_ge0.
apply/funext => w; rewrite /row_energy /mean_energy (bigD1 ord0) //= (bigD1 one) //= big1 => [|l /andP[l0 l1]].
  by rewrite !mxE !eqxx /= mulr1 mul0r mulr0 add0r mul1r !addr0.
by rewrite !mxE (negbTE l0) (negbTE l1) /= mulr0 mul0r addr0 expr0n.
Qed.

(* a variate that is 0 has E exp(l Z) = 1 *)
Lemma zero_mgf (R : realType) (l : R) : (\int[uniform R]_w (expR (l * 0))%:E <= (expR (l ^+ 2 / 2%:R))%:E)%E.
Proof.
rewrite mulr0 expR0 integral_cst //= mul1e [X in (X <= _)%E]uniform_total lee_fin -[X in X <= _]expR0 ler_expR.
by rewrite divr_ge0 ?sqr_ge0 ?ler0n.
Qed.

Theorem gaussian_calibration_instance (R : realType) (kappa s eps delta : R) : 0 < kappa -> 0 < s -> delta < 1 ->
  least_epsilon kappa delta <= eps ->
  ~ indistinguishable eps delta (noisy_answer (uniform R) (fun=> 0) s (kappa * s / eps))
                                (noisy_answer (uniform R) (fun=> 0) 0 (kappa * s / eps)).
Proof.
apply: (@gaussian_calibration_fails _ _ _ (uniform R) (uniform_total R) (fun=> 0)); last exact: zero_mgf.
exact: measurable_fun_cst.
Qed.

Theorem sulq_instance (R : realType) (d n : nat) (i : 'I_d) (eps delta : R) : 0 < delta -> delta < 1 ->
  least_epsilon (sulq_constant d delta) delta <= eps ->
  ~ indistinguishable eps delta
      (sulq_law (uniform R) (fun=> 0) (sulq_constant d delta / n.+1%:R / eps) (delta_mx 0 i : 'M[R]_(n.+1, d)))
      (sulq_law (uniform R) (fun=> 0) (sulq_constant d delta / n.+1%:R / eps) (0 : 'M[R]_(n.+1, d))).
Proof.
apply: (@sulq_fails_for_large_epsilon _ _ _ (uniform R) (uniform_total R) d (fun=> 0) i) => [a b|l].
  exact: measurable_fun_cst.
by rewrite mxE; exact: zero_mgf.
Qed.
