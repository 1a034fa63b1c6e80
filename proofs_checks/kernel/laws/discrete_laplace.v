(* Discrete Laplace noise on the integers, weight q^|k|, 0 < q < 1: its total mass is 1, and independent noise on n
   integers hides a change of l1 norm k up to the factor q^-k, for every set of outputs. It is what the library draws. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section discrete_laplace.
Variables (R : realType) (q : R).
Hypotheses (q0 : 0 < q) (q1 : q < 1).

Definition mass_at (a z : int) : R := (1 - q) / (1 + q) * q ^+ `|z - a|%N.
(* the probability that a plus noise lies in S *)
Definition noisy_integer (a : int) (S : set int) : \bar R := (\esum_(z in S) (mass_at a z)%:E)%E.

Lemma norm_gt0 : 0 < (1 - q) / (1 + q). Proof. by rewrite divr_gt0 ?subr_gt0// addr_gt0. Qed.
Lemma mass_at_ge0 a z : 0 <= mass_at a z. Proof. by rewrite mulr_ge0 ?exprn_ge0// ltW// norm_gt0. Qed.
Lemma mass_at_ratio a b z : q ^+ `|a - b|%N * mass_at a z <= mass_at b z.
Proof.
rewrite /mass_at mulrCA; apply: ler_wpmul2l; first exact/ltW/norm_gt0.
rewrite -exprD; apply: ler_wiexpn2l; rewrite ?ltW// addnC; exact: leq_add_dist.
Qed.

Lemma geometric_sum (c : R) : (\sum_(n <oo) (c * q ^+ n)%:E = (c / (1 - q))%:E)%E.
Proof.
have h : series (geometric c q) --> (c * (1 - q)^-1) by apply: cvg_geometric_series; rewrite ger0_norm ?ltW.
rewrite -(cvg_lim (@Rhausdorff R) h) -EFin_lim; last by apply/cvg_ex; exists (c * (1 - q)^-1).
by congr (lim _); apply/funext => n; rewrite /= /series /= sumEFin.
Qed.

Lemma discrete_laplace_total : noisy_integer 0 setT = 1%E.
Proof.
have pos (z : int) : (0 <= (mass_at 0 z)%:E)%E by rewrite lee_fin mass_at_ge0.
rewrite /noisy_integer (esumID (Posz @` setT)) ?setTI//.
have -> : ~` (Posz @` setT) = Negz @` setT.
  apply/seteqP; split=> [[n h|n _]|_ [n _ <-] [m _] //]; last by exists n.
  by exfalso; apply: h; exists n.
rewrite !esum_image; [|by move=> ? ? _ _ []|by move=> ? ? _ _ []].
have e (f : nat -> R) : (forall n, 0 <= f n) -> (\esum_(n in setT) (f n)%:E = \sum_(n <oo) (f n)%:E)%E.
  by move=> f0; rewrite nneseries_esum; [congr esum; apply/seteqP | move=> n _; rewrite lee_fin].
rewrite !e; [|by move=> n; exact: mass_at_ge0|by move=> n; exact: mass_at_ge0].
have cE : (1 - q) / (1 + q) / (1 - q) + (1 - q) / (1 + q) * q / (1 - q) = 1 :> R.
  have n1 : 1 - q != 0 by rewrite gt_eqF// subr_gt0.
  have n2 : 1 + q != 0 by rewrite gt_eqF// addr_gt0.
  by field; rewrite n1 n2.
rewrite -[RHS](congr1 EFin cE) EFinD -!geometric_sum; congr (_ + _)%E; congr (lim _); apply/funext => n;
  apply: eq_bigr => m _; congr EFin; rewrite /mass_at subr0 //.
by rewrite -[RHS]mulrA -exprS.
Qed.

(* n integers with independent noise *)
Variable n : nat.
Definition vector_mass_at (a z : 'I_n -> int) : R := \prod_i mass_at (a i) (z i).
Definition noisy_integers (a : 'I_n -> int) (S : set ('I_n -> int)) : \bar R :=
  (\esum_(z in S) (vector_mass_at a z)%:E)%E.
Definition l1_distance (a b : 'I_n -> int) : nat := (\sum_i `|a i - b i|)%N.

Lemma vector_mass_ratio a b z : q ^+ l1_distance a b * vector_mass_at a z <= vector_mass_at b z.
Proof.
rewrite /l1_distance /vector_mass_at.
suff h (l : seq 'I_n) : q ^+ (\sum_(i <- l) `|a i - b i|)%N * \prod_(i <- l) mass_at (a i) (z i) <=
    \prod_(i <- l) mass_at (b i) (z i) by exact: h.
elim: l => [|i l IH]; first by rewrite !big_nil expr0 mul1r.
rewrite !big_cons exprD mulrACA; apply: ler_pmul => //; last exact: mass_at_ratio.
- by rewrite mulr_ge0 ?mass_at_ge0// exprn_ge0// ltW.
- by rewrite mulr_ge0 ?exprn_ge0 ?(ltW q0)// prodr_ge0// => j _; exact: mass_at_ge0.
Qed.

(* a statistic of integers that changes by at most k in l1 norm between neighbours; q = exp(-eps/k) gives eps *)
Lemma discrete_laplace_is_private (D : Type) (neighbours : D -> D -> Prop) (f : D -> 'I_n -> int) (k : nat) (eps : R) :
  (forall x y, neighbours x y -> (l1_distance (f x) (f y) <= k)%N) -> q ^- k <= expR eps ->
  forall x y, neighbours x y -> forall S, (noisy_integers (f x) S <= (expR eps)%:E * noisy_integers (f y) S)%E.
Proof.
move=> sens qe x y xy S; apply: ub_ereal_sup => _ [F [finF FS] <-].
have v0 a z : 0 <= vector_mass_at a z by apply: prodr_ge0 => i _; exact: mass_at_ge0.
apply: (@le_trans _ _ ((expR eps)%:E * \sum_(z \in F) (vector_mass_at (f y) z)%:E)%E); last first.
  by apply: lee_wpmul2l; [rewrite lee_fin ltW// expR_gt0 | apply: ereal_sup_ub; exists F].
rewrite !fsumEFin// -EFinM lee_fin !fsbig_finite//= mulr_sumr.
apply: ler_sum => z _; apply: (@le_trans _ _ (q ^- k * vector_mass_at (f y) z)); last exact: ler_wpmul2r.
rewrite ler_pdivl_mull ?exprn_gt0//; apply: le_trans (vector_mass_ratio (f x) (f y) z).
by apply: ler_wpmul2r => //; apply: ler_wiexpn2l; rewrite ?(ltW q0) ?(ltW q1)//; exact: sens.
Qed.
End discrete_laplace.
