(* Guarantees that bind chosen pairs of data sets only, bounds of densities almost everywhere, rejection, and a record
   replaced in two steps. Claims: definitions 2.2 to 2.4, theorem 2.5, procedure 4.2 and remark 4.7 of compression. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section processing.
Context {d1 d2 : measure_display} {T : measurableType d1} {U : measurableType d2} {R : realType}.
(* an algorithm that gives every data set a probability law *)
Definition gives_laws (D : Type) (M : D -> {measure set T -> \bar R}) : Prop := forall x, M x setT = 1%E.
Theorem processed_outputs_have_laws (D : Type) (M : D -> {measure set T -> \bar R}) (f : T -> U)
    (mf : measurable_fun setT f) : gives_laws M ->
  forall x, [the {measure set U -> \bar R} of pushforward (M x) mf] setT = 1%E.
Proof. by move=> lM x; rewrite /= /pushforward preimage_setT lM. Qed.
End processing.

Section densities.
Context {disp : measure_display} {T : measurableType disp} {R : realType}.
Implicit Types (f g : T -> \bar R).

(* densities that are within e^alpha of each other almost everywhere *)
Theorem densities_almost_everywhere (mu : {measure set T -> \bar R}) f g (alpha : R) :
  measurable_fun setT f -> measurable_fun setT g -> (forall x, 0 <= f x)%E -> (forall x, 0 <= g x)%E ->
  {ae mu, forall x, (f x <= (expR alpha)%:E * g x)%E} -> indistinguishable alpha 0 (density_law mu f) (density_law mu g).
Proof.
move=> mf mg f0 g0 [N [mN N0 hN]] S mS; rewrite adde0 /density_law.
have mD := measurableD mS mN.
rewrite (negligible_integral mN mS (measurable_funS measurableT (@subsetT _ S) mf) (fun x _ => f0 x) N0).
apply: (@le_trans _ _ ((expR alpha)%:E * \int[mu]_(x in S `\` N) g x)%E); last first.
  apply: lee_wpmul2l; first exact: expR_ge0E.
  apply: subset_integral => //; exact: (measurable_funS measurableT (@subsetT _ S) mg).
rewrite -ge0_integralM//; [|exact: (measurable_funS measurableT (@subsetT _ _) mg)|exact: expR_ge0E].
apply: ge0_le_integral => //.
- exact: (measurable_funS measurableT (@subsetT _ _) mf).
- by move=> x _; apply: mule_ge0 => //; exact: expR_ge0E.
- by apply: measurable_funeM; exact: (measurable_funS measurableT (@subsetT _ _) mg).
- by move=> x [_ nN]; apply: contrapT => nf; apply: nN; apply: hN.
Qed.

(* a density of P with respect to Q that is at most e^alpha almost everywhere *)
Corollary bounded_derivative (Q : {measure set T -> \bar R}) f (alpha : R) : measurable_fun setT f ->
  (forall x, 0 <= f x)%E -> {ae Q, forall x, (f x <= (expR alpha)%:E)%E} -> indistinguishable alpha 0 (density_law Q f) Q.
Proof.
move=> mf f0 fa S mS; have -> : Q S = density_law Q (cst 1%E) S by rewrite /density_law integral_cst// mul1e.
apply: densities_almost_everywhere => //; first exact: measurable_fun_cst.
- by move=> x; rewrite lee_fin ler01.
- case: fa => N [mN N0 hN]; exists N; split=> // x nx; apply: hN; move=> h; apply: nx; by rewrite /= mule1.
Qed.

(* laws of densities f D with respect to one measure, and the pairs of data sets that a restricted promise binds *)
Variables (D : Type) (mu : {measure set T -> \bar R}) (f : D -> T -> \bar R).
Hypotheses (mf : forall x, measurable_fun setT (f x)) (f0 : forall x y, (0 <= f x y)%E).
(* distributional privacy on a collection: densities within e^alpha for all its pairs at distance at most delta *)
Definition distributionally_private (S : set D) (V : D -> D -> R) (alpha delta : R) : Prop :=
  forall x y, S x -> S y -> V x y <= delta -> {ae mu, forall z, (f x z <= (expR alpha)%:E * f y z)%E}.

Theorem distributional_gives_differential (S : set D) V alpha delta (neighbours : D -> D -> Prop) :
  distributionally_private S V alpha delta ->
  differentially_private (fun x y => [/\ S x, S y, neighbours x y & V x y <= delta]) alpha 0
    (fun x => density_law mu (f x)).
Proof. by move=> dpS x y [Sx Sy _ Vxy]; apply: densities_almost_everywhere => //; exact: dpS. Qed.

(* densities within e^alpha give the bound for all events *)
Theorem distributional_gives_events (S : set D) V alpha delta x y : distributionally_private S V alpha delta ->
  S x -> S y -> V x y <= delta -> indistinguishable alpha 0 (density_law mu (f x)) (density_law mu (f y)).
Proof. by move=> dpS Sx Sy Vxy; apply: densities_almost_everywhere => //; exact: dpS. Qed.

(* two data sets that are both within delta of a third one of the collection *)
Theorem distributional_composes (S : set D) V alpha delta x r y : distributionally_private S V alpha delta ->
  S x -> S r -> S y -> V x r <= delta -> V r y <= delta ->
  indistinguishable (alpha *+ 2) 0 (density_law mu (f x)) (density_law mu (f y)).
Proof.
move=> dpS Sx Sr Sy xr ry U mU; rewrite adde0.
have := distributional_gives_events dpS Sx Sr xr mU; rewrite adde0 => /le_trans; apply.
rewrite mulr2n expRD EFinM -muleA; apply: lee_wpmul2l; first exact: expR_ge0E.
by have := distributional_gives_events dpS Sr Sy ry mU; rewrite adde0.
Qed.
End densities.

Section loss.
Variable R : realType.
Implicit Types f : R.
(* remark 4.7: the loss between two data sets is at most the sum of their losses against a third *)
Theorem loss_through_a_reference (f1 fk fj : R) : 0 < f1 -> 0 < fk -> 0 < fj ->
  `|ln (fk / fj)| <= `|ln (f1 / fk)| + `|ln (f1 / fj)|.
Proof.
move=> p1 pk pj; rewrite !ln_div ?posrE//.
have -> : ln fk - ln fj = (ln f1 - ln fj) - (ln f1 - ln fk) by ring.
by apply: (le_trans (ler_norm_sub _ _)); rewrite addrC.
Qed.
End loss.

Section rejection.
Context {disp : measure_display} {T : measurableType disp} {R : realType}.
Variables (P : set T -> R) (E : set T).
(* attempts are drawn from P and rejected on E; the probability that one of the first k is released and lies in S *)
Fixpoint released (k : nat) (S : set T) : R := if k is k'.+1 then P (S `\` E) + P E * released k' S else 0.
Theorem released_after_attempts k S : P E < 1 ->
  released k S = P (S `\` E) / (1 - P E) * (1 - P E ^+ k).
Proof.
move=> e1; have n0 : 1 - P E != 0 by rewrite subr_eq0 gt_eqF.
elim: k => [|k IH] /=; first by rewrite expr0 subrr mulr0.
by rewrite IH exprS; field.
Qed.
End rejection.

Section two_steps.
Context {disp : measure_display} {T : measurableType disp} {R : realType}.
(* a data set: the records that are present; one record is present or absent, or another one takes its place *)
Variable record : eqType.
Definition present_or_absent (X Y : seq record) : Prop :=
  exists s v t, (X = s ++ v :: t /\ Y = s ++ t) \/ (X = s ++ t /\ Y = s ++ v :: t).
Definition replaced (X Y : seq record) : Prop := exists s v w t, X = s ++ v :: t /\ Y = s ++ w :: t.

Theorem replaced_in_two_steps eps delta (M : seq record -> set T -> \bar R) :
  differentially_private present_or_absent eps delta M ->
  differentially_private replaced (eps *+ 2) ((1 + expR eps) * delta) M.
Proof.
move=> dpM X Y [s [v [w [t [eX eY]]]]].
have := @group_privacy _ _ _ _ _ _ _ _ 2 dpM X Y; rewrite big_ord_recl big_ord_recl big_ord0 /= addr0 expR0.
rewrite mulrC /bump /= mulr1n; apply; exists (s ++ t); first by exists s, v, t; left.
by exists Y => //; exists s, w, t; right.
Qed.
End two_steps.
