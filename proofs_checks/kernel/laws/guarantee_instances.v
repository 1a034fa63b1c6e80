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

(* a bit that is kept with probability e^alpha/(1 + e^alpha), as densities with respect to counting *)
Definition counting : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of measure_add (certain true) (certain false)].
Definition response (alpha : R) (x y : bool) : \bar R := ((if x == y then expR alpha else 1) / (1 + expR alpha))%:E.
Definition bit_distance (x y : bool) : R := (x != y)%:R.
Lemma response_ge0 alpha x y : (0 <= response alpha x y)%E.
Proof. by rewrite lee_fin divr_ge0 ?addr_ge0 ?(ltW (expR_gt0 _))//; case: ifP => // _; exact/ltW/expR_gt0. Qed.
Lemma response_bounded alpha : 0 <= alpha ->
  distributionally_private counting (response alpha) setT bit_distance alpha 1.
Proof.
move=> a0 x y _ _ _; apply: aeW => z; rewrite /response -EFinM lee_fin mulrA ler_wpmul2r//.
  by rewrite invr_ge0 addr_ge0// ltW// expR_gt0.
have e1 : 1 <= expR alpha by rewrite -expR0 ler_expR.
have e0 : 0 <= expR alpha by exact/ltW/expR_gt0.
case: ifP => _; case: ifP => _; rewrite ?mulr1// ?ler_pmull ?expR_gt0//.
by rewrite mulr_ege1.
Qed.
Theorem response_is_private (alpha : R) : 0 <= alpha ->
  differentially_private (fun x y => [/\ setT x, setT y, x != y & bit_distance x y <= 1]) alpha 0
    (fun x => density_law counting (response alpha x)).
Proof.
move=> a0; apply: (@distributional_gives_differential _ _ _ _ _ _ _ _ setT bit_distance _ _ _ _) => //.
  exact: response_ge0.
exact: response_bounded.
Qed.
Theorem response_composes (alpha : R) (x y : bool) : 0 <= alpha ->
  indistinguishable (alpha *+ 2) 0 (density_law counting (response alpha x)) (density_law counting (response alpha y)).
Proof.
move=> a0; apply: (@distributional_composes _ _ _ _ _ _ _ _ setT bit_distance _ 1 _ true) => //;
  try first [exact: response_bounded | exact: response_ge0 | by rewrite /bit_distance lern1 leq_b1].
Qed.

(* two coins *)
Theorem two_coins (eps delta a b : R) : 0 <= a <= 1 -> 0 <= b <= 1 ->
  let within := a <= expR eps * b /\ 1 - a <= expR eps * (1 - b) in
  let excess := Num.max 0 (a - expR eps * b) + Num.max 0 (1 - a - expR eps * (1 - b)) in
  [/\ finitely_private eps delta (coin a) (coin b) <-> excess <= delta,
      finitely_private eps excess (coin a) (coin b),
      finitely_private eps 0 (coin a) (coin b) <-> within,
      finitely_private eps 0 (coin a) (coin a) -> 0 <= eps
    & (forall S, ratio_at_most (mass (coin a) S) (mass (coin b) S) (expR eps)) <-> within].
Proof.
move=> /andP[a0 a1] /andP[b0 b1] within excess.
have law c : 0 <= c -> c <= 1 -> probability_law (coin c).
  move=> c0 c1; split; first by case; rewrite /coin ?subr_ge0.
  by rewrite coin_mass !inE !mulr1n addrC subrK.
have sum : hockey_stick eps (coin a) (coin b) = excess by rewrite /hockey_stick big_bool.
have all : (forall o, coin a o <= expR eps * coin b o) <-> within.
  by split=> [h|[h k] [] //]; split; [exact: (h true) | exact: (h false)].
split.
- by rewrite -sum; exact: private_iff_hockey_stick.
- by rewrite -sum; exact: (least_delta eps (coin a) (coin b)).1.
- by apply: iff_trans all; exact: pure_iff_outcomes.
- by apply: equal_data_need_nonnegative; exact: law.
- by apply: iff_trans all; apply: ratios_iff_outcomes; exact: law.
Qed.
End instances.
