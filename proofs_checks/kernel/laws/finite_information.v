(* Fano's inequality in a pseudo-metric space over laws of finitely many values, for every number of laws: Theorem 13 of
   the near-optimal document. The divergence bounds a coin with a likely head by one tangent of the logarithm. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences exp.
Import Order.TTheory GRing.Theory Num.Theory.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import laws.exponential_bound.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section fano.
Variables (R : realType) (X : finType).
Implicit Types f g : X -> R.

Definition finite_law f : Prop := (forall x, 0 <= f x) /\ \sum_x f x = 1.

(* KL(f|g) <= gamma: infinite where f > 0 = g *)
Definition divergence f g : R := \sum_x f x * ln (f x / g x).
Definition divergence_at_most f g (gamma : R) : Prop := (forall x, g x = 0 -> f x = 0) /\ divergence f g <= gamma.

(* one tangent of the logarithm at 2 *)
Lemma divergence_tangent f g (c : X -> R) (gamma : R) : finite_law f -> finite_law g -> (forall x, 0 < c x) ->
  divergence_at_most f g gamma ->
  \sum_x f x * ln (c x) - ln 2%:R + 1 - (\sum_x g x * c x) / 2%:R <= gamma.
Proof.
move=> [f0 f1] [g0 g1] c0 [fg le]; apply: le_trans le.
have -> : \sum_x f x * ln (c x) - ln 2%:R + 1 - (\sum_x g x * c x) / 2%:R =
    \sum_x (f x * (1 + ln (c x) - ln 2%:R) - g x * c x / 2%:R).
  rewrite sumrB -mulr_suml; congr (_ - _).
  rewrite [RHS](eq_bigr (fun x => f x * ln (c x) + (1 - ln 2%:R) * f x)) => [|x _]; last by ring.
  by rewrite [RHS]big_split /= -mulr_sumr f1 mulr1 -addrA [- _ + 1]addrC.
apply: ler_sum => x _; have [fx|fx] := eqVneq (f x) 0.
  by rewrite fx !mul0r sub0r oppr_le0 divr_ge0 ?ler0n // mulr_ge0 // ltW.
have fp : 0 < f x by rewrite lt_neqAle eq_sym fx f0.
have gp : 0 < g x by rewrite lt_neqAle eq_sym g0 andbT; apply: contraNN fx => /eqP/fg ->.
have two : 0 < 2%:R :> R by rewrite ltr0n.
have := expR_above_line (ln (c x) - ln 2%:R - ln (f x / g x)).
rewrite !expRD !expRN !lnK ?posrE ?divr_gt0 // -(ler_pmul2l fp).
have -> : f x * (c x / 2%:R / (f x / g x)) = g x * c x / 2%:R by field; rewrite !gt_eqF.
by move=> h; rewrite ler_subl_addr -ler_subl_addl; apply: le_trans h; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Variables (r : nat) (f : 'I_r -> X -> R) (e : X -> 'I_r -> R) (tau gamma : R).

Theorem fano_inequality : (1 < r)%N -> (forall j, finite_law (f j)) -> (forall x j, 0 <= e x j) -> 0 <= tau ->
  (forall x i j, i != j -> tau <= e x i + e x j) ->
  (forall i j, i != j -> divergence_at_most (f i) (f j) gamma) ->
  exists j, tau / 2%:R * (1 - (gamma + ln 2%:R) / ln r%:R) <= \sum_x f j x * e x j.
Proof.
move=> r1 lf e0 tau0 sep kl.
have r0 : (0 < r)%N by exact: ltnW.
pose i0 : 'I_r := Ordinal r0.
pose guess x := [arg min_(j < i0) e x j]%O.
have guess_min x j : e x (guess x) <= e x j by rewrite /guess; case: arg_minP => // i _ h; exact: h.
pose hit i j := \sum_x f i x * (guess x == j)%:R.
have hit_sum i : \sum_j hit i j = 1.
  rewrite exchange_big /= -[RHS](proj2 (lf i)); apply: eq_bigr => x _.
  by rewrite -mulr_sumr (bigD1 (guess x)) //= eqxx big1 ?addr0 ?mulr1 // => j /negbTE; rewrite eq_sym => ->.
have hit0 i j : 0 <= hit i j by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?ler0n // (proj1 (lf i)).
have lnr : 0 < ln r%:R :> R by rewrite ln_gt0 // ltr1n.
(* each pair of laws *)
have pair i j : i != j -> ln r%:R * hit j j + 2%:R^-1 - (r%:R - 1) / 2%:R * hit i j <= gamma + ln 2%:R.
  move=> ij; pose c x : R := if guess x == j then r%:R else 1.
  have c0 x : 0 < c x by rewrite /c; case: ifP; rewrite ?ltr0n.
  have := divergence_tangent (lf j) (lf i) c0 (kl j i _); rewrite eq_sym ij => /(_ isT).
  have -> : \sum_x f j x * ln (c x) = ln r%:R * hit j j.
    by rewrite mulr_sumr; apply: eq_bigr => x _; rewrite /c; case: eqP => _; rewrite ?ln1 ?mulr1n ?mulr0n; ring.
  have -> : \sum_x f i x * c x = 1 + (r%:R - 1) * hit i j.
    rewrite -[X in X + _](proj2 (lf i)) mulr_sumr -big_split /=; apply: eq_bigr => x _; rewrite /c.
    by case: eqP => _; rewrite ?mulr1n ?mulr0n; ring.
  move=> h; rewrite -ler_subl_addr; apply: le_trans h.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
have each j : ln r%:R * hit j j + 2%:R^-1 - 2%:R^-1 * (\sum_i hit i j) <= gamma + ln 2%:R.
  have s0 : 0 < r%:R - 1 :> R by rewrite subr_gt0 ltr1n.
  have constant (a : R) : \sum_(i < r | i != j) a = (r%:R - 1) * a.
    have rm : (r.-1)%:R = r%:R - 1 :> R by rewrite -[in RHS](prednK r0) -addn1 natrD addrK.
    by rewrite sumr_const cardC1 card_ord -[LHS]mulr_natl rm.
  have : \sum_(i < r | i != j) (ln r%:R * hit j j + 2%:R^-1 - (r%:R - 1) / 2%:R * hit i j) <=
      \sum_(i < r | i != j) (gamma + ln 2%:R) by apply: ler_sum => i ij; exact: pair.
  rewrite sumrB !constant -mulr_sumr -mulrA -mulrBr ler_pmul2l // => h; apply: le_trans h.
  by rewrite ler_add2l ler_opp2 ler_pmul2l ?invr_gt0 ?ltr0n // [leRHS](bigD1 j) //= ler_addr.
have pairs : ln r%:R * (\sum_j hit j j) <= r%:R * (gamma + ln 2%:R).
  have : \sum_(j < r) (ln r%:R * hit j j + 2%:R^-1 - 2%:R^-1 * (\sum_i hit i j)) <= \sum_(j < r) (gamma + ln 2%:R).
    by apply: ler_sum => j _; exact: each.
  have all : \sum_(j < r) \sum_i hit i j = r%:R.
    rewrite exchange_big /= (eq_bigr (fun=> 1)) => [|i _]; last exact: hit_sum.
    by rewrite sumr_const card_ord.
  rewrite sumrB big_split /= -!mulr_sumr all !sumr_const card_ord -[2%:R^-1 *+ r]mulr_natr addrK => h.
  by apply: (le_trans h); rewrite mulr_natl.
apply: contrapT => no; have small j : \sum_x f j x * e x j < tau / 2%:R * (1 - (gamma + ln 2%:R) / ln r%:R).
  by rewrite ltNge; apply/negP => h; apply: no; exists j.
have cost j : tau / 2%:R * (1 - hit j j) <= \sum_x f j x * e x j.
  rewrite -[X in X - _](proj2 (lf j)) -sumrB mulr_sumr; apply: ler_sum => x _.
  have fx := proj1 (lf j) x; rewrite -[X in X - _]mulr1 -mulrBr mulrCA; apply: ler_wpmul2l => //.
  have [_|gj] := eqVneq (guess x) j; first by rewrite subrr mulr0.
  rewrite subr0 mulr1 ler_pdivr_mulr ?ltr0n // mulr_natr mulr2n.
  by apply: (le_trans (sep x _ _ gj)); rewrite ler_add2r.
have : \sum_j tau / 2%:R * (1 - hit j j) < \sum_(j < r) tau / 2%:R * (1 - (gamma + ln 2%:R) / ln r%:R).
  have lt j := le_lt_trans (cost j) (small j).
  by rewrite (bigD1 i0) //= [ltRHS](bigD1 i0) //= ltr_le_add // ler_sum // => j _; exact/ltW.
rewrite -!mulr_sumr sumrB ltNge => /negP; apply; apply: ler_wpmul2l; first by rewrite divr_ge0 ?ler0n.
rewrite sumrB ler_add2l ler_opp2 [leRHS]sumr_const card_ord -mulr_natl mulrA ler_pdivl_mulr // mulrC.
exact: pairs.
Qed.
End fano.

(* r laws of n values, as vectors of probabilities *)
Theorem fano_on_vectors (R : realType) (n r : nat) (f : 'I_r -> 'I_n -> R) (e : 'I_n -> 'I_r -> R) (tau gamma : R) :
  (1 < r)%N -> (forall j, finite_law (f j)) -> (forall x j, 0 <= e x j) -> 0 <= tau ->
  (forall x i j, i != j -> tau <= e x i + e x j) ->
  (forall i j, i != j -> divergence_at_most (f i) (f j) gamma) ->
  exists j, tau / 2%:R * (1 - (gamma + ln 2%:R) / ln r%:R) <= \sum_x f j x * e x j.
Proof. exact: fano_inequality. Qed.
