(* A noisy number that decides what a second mechanism may publish (analyze-gauss.algorithm-2, repaired): the second one
   need hide a record only where the noise was not rare, and the probability that it was is added to delta. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy discrete_laplace mass_functions.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section two_outputs.
Context {disp : measure_display} {U : measurableType disp} {R : realType}.

(* the probability that the integer n, drawn with probability p n, and the output of N n lie in S n *)
Definition both (p : int -> R) (N : int -> set U -> \bar R) (S : int -> set U) : \bar R := (\esum_(n in setT) ((p n)%:E * N n (S n)))%E.

(* one law of an integer and an output against another, for every event *)
Definition hidden (eps delta : R) (P Q : (int -> set U) -> \bar R) :=
  forall S, (forall n, measurable (S n)) -> (P S <= (expR eps)%:E * Q S + delta%:E)%E.

Lemma rare_outcomes_add (e1 e2 d1 d2 : R) (p q : int -> R) (rare : set int) (N M : int -> set U -> \bar R) :
  0 <= d2 -> (forall n, 0 <= p n) -> (forall n, 0 <= q n) ->
  (\esum_(n in setT) (p n)%:E <= 1)%E -> (\esum_(n in rare) (p n)%:E <= d1%:E)%E ->
  (forall n, p n <= expR e1 * q n) ->
  (forall n (A : set U), measurable A -> (0 <= N n A <= 1)%E) ->
  (forall n (A : set U), measurable A -> (0 <= M n A)%E) ->
  (forall n, ~ rare n -> indistinguishable e2 d2 (N n) (M n)) ->
  hidden (e1 + e2) (d1 + d2) (both p N) (both q M).
Proof.
move=> d20 p0 q0 p1 pr pq N1 M0 near S mS.
have term0 n : (0 <= (p n)%:E * N n (S n))%E by apply: mule_ge0; rewrite ?lee_fin //; case/andP: (N1 n _ (mS n)).
have other0 n : (0 <= (q n)%:E * M n (S n))%E by apply: mule_ge0; rewrite ?lee_fin //; exact: M0.
rewrite /both (esumID rare) //= !setTI.
have left : (\esum_(n in rare) ((p n)%:E * N n (S n)) <= d1%:E)%E.
  apply: le_trans pr; apply: le_esum => n _; rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin.
  by case/andP: (N1 n _ (mS n)).
pose bound n : \bar R := ((expR (e1 + e2))%:E * ((q n)%:E * M n (S n)) + d2%:E * (p n)%:E)%E.
have right : (\esum_(n in ~` rare) ((p n)%:E * N n (S n)) <= \esum_(n in setT) bound n)%E.
  apply: (@le_trans _ _ (\esum_(n in ~` rare) bound n)); last first.
    rewrite [leRHS](esumID rare) //=; last first.
      by move=> n _; apply: adde_ge0; apply: mule_ge0; rewrite ?expR_ge0E ?lee_fin.
    rewrite !setTI -[leLHS]add0e; apply: lee_add => //; apply: esum_ge0 => n _.
    by apply: adde_ge0; apply: mule_ge0; rewrite ?expR_ge0E ?lee_fin.
  apply: le_esum => n far; apply: (@le_trans _ _ ((p n)%:E * ((expR e2)%:E * M n (S n) + d2%:E))%E).
    by apply: lee_wpmul2l; [rewrite lee_fin | exact: near].
  rewrite muleDr ?ge0_adde_def ?inE ?mule_ge0 ?expR_ge0E ?M0 ?lee_fin //; apply: lee_add; last by rewrite muleC.
  rewrite muleCA expRD EFinM -!muleA [X in (_ <= X)%E]muleCA; apply: lee_wpmul2l; first exact: expR_ge0E.
  rewrite muleA; apply: lee_wpmul2r; first exact: M0.
  by rewrite -EFinM lee_fin.
apply: (le_trans (lee_add left right)); rewrite esumD; last first.
- by move=> n _; apply: mule_ge0; rewrite lee_fin.
- by move=> n _; apply: mule_ge0; rewrite ?expR_ge0E.
rewrite !esum_scale //; last exact/ltW/expR_gt0.
rewrite addeCA EFinD; apply: lee_add2l; apply: lee_add2l.
by rewrite -[leRHS]mule1; apply: lee_wpmul2l; rewrite ?lee_fin.
Qed.
End two_outputs.

Definition beyond (b : int) : set int := [set n | b < n].

(* discrete Laplace noise is rarely large *)
Section noisy_integer.
Variables (R : realType) (q : R).
Hypotheses (q0 : 0 < q) (q1 : q < 1).

Lemma laplace_tail (a : int) (K : nat) :
  (\esum_(n in beyond (a + K%:Z)) (mass_at q a n)%:E <= (q ^+ K / 2%:R)%:E)%E.
Proof.
have -> : beyond (a + K%:Z) = (fun j : nat => a + (K.+1 + j)%:Z) @` setT.
  rewrite /beyond; apply/seteqP; split=> [n /= h | _ [j _ <-] /=]; last by rewrite ltr_add2l ltz_nat addSn ltnS leq_addr.
  exists (absz (n - (a + K.+1%:Z))%R) => //; rewrite PoszD gez0_abs; first by rewrite addrA addrC subrK.
  by rewrite subr_ge0 intS addrCA lez_add1r.
have inj : {in setT &, injective (fun j : nat => a + (K.+1 + j)%:Z)}.
  by move=> i j _ _ /addrI [] /eqP; rewrite eqn_add2l => /eqP.
rewrite esum_image //.
have -> : \esum_(j in setT) (mass_at q a (a + (K.+1 + j)%:Z))%:E =
    (\sum_(j <oo) ((1 - q) / (1 + q) * q ^+ K.+1 * q ^+ j)%:E)%E.
  rewrite nneseries_esum; last first.
    by move=> j _; rewrite lee_fin !mulr_ge0 ?exprn_ge0 ?(ltW q0) ?invr_ge0 ?subr_ge0 ?(ltW q1) ?addr_ge0 ?(ltW q0).
  rewrite [X in _ = \esum_(j in X) _](_ : _ = setT); last by apply/seteqP.
  by apply: eq_esum => j _; rewrite /mass_at [a + _]addrC addrK absz_nat exprD mulrA.
rewrite geometric_sum // lee_fin exprS -!mulrA.
have n1 : 1 - q != 0 by rewrite gt_eqF // subr_gt0.
have p1 : 0 < 1 + q by rewrite addr_gt0.
have -> : (1 - q) * ((1 + q)^-1 * (q * (q ^+ K * (1 - q)^-1))) = q ^+ K * (q / (1 + q)).
  by field; rewrite n1 gt_eqF.
rewrite ler_wpmul2l ?exprn_ge0 ?(ltW q0) // ler_pdivr_mulr // mulrC ler_pdivl_mulr ?ltr0n //.
by rewrite mulr_natr mulr2n ler_add2r (ltW q1).
Qed.

Lemma laplace_total (a : int) : (\esum_(n in setT) (mass_at q a n)%:E = 1)%E.
Proof.
rewrite (reindex_esum setT _ (fun n : int => n + a)); last first.
  by split=> [n _ //|n m _ _ /addIr //|n _]; exists (n - a) => //; rewrite subrK.
by rewrite -(discrete_laplace_total q0 q1); apply: eq_esum => n _; rewrite /mass_at addrK subr0.
Qed.
End noisy_integer.

Section noisy_gap.
Context {disp : measure_display} {U : measurableType disp} {R : realType}.

(* the integer g x with noise is published, and then an output whose law may depend on it and on the data *)
Theorem noisy_threshold_is_private (D : Type) (neighbours : D -> D -> Prop) (g : D -> int) (k K : nat)
    (q e1 e2 delta d2 : R) (second : D -> int -> set U -> \bar R) :
  0 < q -> q < 1 -> q ^- k <= expR e1 -> q ^+ K <= delta -> 0 <= d2 ->
  (forall x y, neighbours x y -> (`|g x - g y| <= k)%N) ->
  (forall x n A, measurable A -> (0 <= second x n A <= 1)%E) ->
  (forall x y n, neighbours x y -> n <= g x + K%:Z -> indistinguishable e2 d2 (second x n) (second y n)) ->
  forall x y, neighbours x y ->
    hidden (e1 + e2) (delta / 2%:R + d2) (both (mass_at q (g x)) (second x)) (both (mass_at q (g y)) (second y)).
Proof.
move=> q0 q1 qe qK d20 sens law near x y xy.
apply: (@rare_outcomes_add _ _ _ e1 e2 (delta / 2%:R) d2 _ _ (beyond (g x + K%:Z))) => //.
- by move=> n; exact: mass_at_ge0.
- by move=> n; exact: mass_at_ge0.
- by rewrite laplace_total.
- by apply: (le_trans (laplace_tail q0 q1 _ _)); rewrite lee_fin ler_wpmul2r ?invr_ge0.
- move=> n; apply: (@le_trans _ _ (q ^- k * mass_at q (g y) n)); last by rewrite ler_wpmul2r ?mass_at_ge0.
  rewrite ler_pdivl_mull ?exprn_gt0 //; apply: le_trans (mass_at_ratio q0 q1 (g x) (g y) n).
  by rewrite ler_wpmul2r ?mass_at_ge0 // ler_wiexpn2l ?(ltW q0) ?(ltW q1) //; exact: sens.
- by move=> n A mA; exact: law.
- by move=> n A mA; case/andP: (law y n A mA).
- by move=> n /negP; rewrite -leNgt => h; exact: near.
Qed.
End noisy_gap.

(* after the integer a constant is published *)
Section instance.
Variable R : realType.
Definition constant (x n : int) : set bool -> \bar R := dirac true.
Theorem noisy_threshold_instance (q e delta : R) (K : nat) (x y : int) : 0 < q -> q < 1 -> q ^- 1 <= expR e ->
  q ^+ K <= delta -> (`|x - y| <= 1)%N ->
  hidden (e + 0) (delta / 2%:R + 0) (both (mass_at q x) (constant x)) (both (mass_at q y) (constant y)).
Proof.
move=> q0 q1 qe qK xy.
apply: (@noisy_threshold_is_private _ _ _ int (fun a b => (`|a - b| <= 1)%N) id 1 K q e 0 delta 0 constant) => //.
  by move=> a n A mA; rewrite measure_ge0 /= /constant /dirac indicE; case: (_ \in _); rewrite ?lexx ?lee_fin ?ler01.
by move=> a b n _ _ A mA; rewrite expR0 mul1e adde0.
Qed.
End instance.
