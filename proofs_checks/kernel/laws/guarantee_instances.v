(* Concrete laws and data sets to which the theorems about any of them apply: counts of bits with Laplace noise, coins,
   randomised response, and the energy of noisy sums. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise gaussian_noise second_moment.
From DPMatrix Require Import noisy_moments dyadic_sums restricted_guarantees finite_outcomes.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section instances.
Variable R : realType.

(* the sum of the squares of what is released *)
Definition energy n (x : space R n) : R := squared_norm x.
Lemma measurable_energy n : measurable_fun setT (@energy n). Proof. exact: measurable_squared_norm. Qed.
Theorem published_energy_is_private (d T h : nat) (eps delta : R) : 0 < eps -> 0 < delta -> delta <= 1 ->
  differentially_private (@row_zeroed R d T) eps delta
    (fun X => image_law (@energy _) (noisy (gaussian_noise (dyadic_deviation h eps delta)) (all_sums h X))).
Proof. by move=> *; apply: published_windows_are_private => //; exact: measurable_energy. Qed.

Theorem laplace_energy_is_private (d n : nat) (eps : R) : 0 < eps -> (0 < n)%N -> (0 < d)%N ->
  differentially_private (@sized_replace_one R d n) eps 0
    (fun X => image_law (@energy _) (noisy (laplace_noise (2%:R * d%:R / (n%:R * eps))) (average n X))).
Proof.
move=> *; apply: post_processing; first exact: measurable_energy.
exact: laplace_perturbation_is_private.
Qed.

(* how many of some bits are true, with Laplace noise *)
Definition count_true (X : seq bool) : 'rV[R]_1 := const_mx (count id X)%:R.
Lemma count_is_private (eps : R) : 0 < eps ->
  differentially_private (@present_or_absent bool_eqType) eps 0 (fun X => noisy (laplace_noise eps^-1) (count_true X)).
Proof.
move=> eps0; apply: (@laplace_noise_is_private _ _ _ _ _ _ _ 1) => //; rewrite ?invr_gt0 ?mul1r//.
have one (s : seq bool) (v : bool) (t : seq bool) : `|(count id (s ++ v :: t))%:R - (count id (s ++ t))%:R| <= 1 :> R.
  by rewrite !count_cat /= addnCA natrD addrK ger0_norm// lern1 leq_b1.
move=> X Y [s [v [t h]]]; rewrite /l1_norm big_ord1 !mxE.
by case: h => -[-> ->]; rewrite ?one// distrC one.
Qed.
Theorem count_under_replacement (eps : R) : 0 < eps ->
  differentially_private (@replaced bool_eqType) (eps *+ 2) ((1 + expR eps) * 0)
    (fun X => noisy (laplace_noise eps^-1) (count_true X)).
Proof. by move=> eps0; apply: replaced_in_two_steps; exact: count_is_private. Qed.

(* a bit that is published as it is, or turned over *)
Lemma measurable_negb : measurable_fun setT negb. Proof. by []. Qed.
Definition certain (b : bool) : {measure set bool -> \bar R} := [the {measure set bool -> \bar R} of dirac b].
Theorem turned_bit_has_a_law (b : bool) :
  [the {measure set bool -> \bar R} of pushforward (certain b) measurable_negb] setT = 1%E.
Proof. by apply: processed_outputs_have_laws => x; rewrite /certain /= /dirac indicT. Qed.

(* a density that exceeds the bound on a set of measure 0 *)
Definition one_or_two (b : bool) : \bar R := if b then 1%E else 2%:R%:E.
Theorem derivative_on_a_point : indistinguishable 0 0 (density_law (certain true) one_or_two) (certain true).
Proof.
apply: bounded_derivative => //; first by case; rewrite lee_fin.
exists [set false]; split=> //; first by rewrite /certain /= /dirac indicE memNset.
by case=> //= h; exfalso; apply: h; rewrite expR0.
Qed.

(* one of at most k tosses of a fair coin is released, where heads are rejected *)
Definition fair (S : set bool) : R := (\1_S true + \1_S false) / 2%:R.
Theorem tails_released (k : nat) : released fair [set false] k [set true] = 1 - 2%:R^-1 ^+ k.
Proof.
have half : 1 - 2%:R^-1 = 2%:R^-1 :> R by field.
have f1 : fair [set false] = 2%:R^-1 by rewrite /fair !indicE memNset// mem_set// add0r mul1r.
have f2 : fair ([set true] `\` [set false]) = 2%:R^-1.
  by rewrite /fair !indicE mem_set// memNset; [rewrite addr0 mul1r | case].
have e1 : fair [set false] < 1 by rewrite f1 invf_lt1// ltr1n.
by rewrite (released_after_attempts _ _ e1) f1 f2 half divff ?mul1r// invr_eq0 pnatr_eq0.
Qed.
End instances.
