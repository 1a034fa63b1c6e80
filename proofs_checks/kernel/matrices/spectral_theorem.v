(* The spectral theorem for real symmetric matrices of every size: an orthonormal basis of eigenvectors, the
   eigenvalues in decreasing order. It makes the hypothesis `spectrum Q l A` of other files true of every such A. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.real_closed Require Import complex.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section spectral_theorem.
Variable R : rcfType.

(* A complex root of the characteristic polynomial is real, because A is symmetric. *)
Lemma symmetric_eigenvector n (A : 'M[R]_n.+1) :
  symmetric A -> exists a, exists2 v : 'cV[R]_n.+1, A *m v = a *: v & v != 0.
Proof.
move=> symA; pose C : 'M[R[i]]_n.+1 := map_mx (real_complex R) A.
have [z] : exists z, root (char_poly C) z by apply/closed_rootP; rewrite size_char_poly.
rewrite -eigenvalue_root_char => /eigenvalueP [w wC w0].
pose x : 'cV[R]_n.+1 := \col_i complex.Re (w 0 i); pose y : 'cV[R]_n.+1 := \col_i complex.Im (w 0 i).
have key i : (A *m x) i 0 = complex.Re z * x i 0 - complex.Im z * y i 0
          /\ (A *m y) i 0 = complex.Re z * y i 0 + complex.Im z * x i 0.
  have /rowP/(_ i) := wC; rewrite !mxE => e.
  have re : complex.Re (\sum_j w 0 j * C j i) = \sum_j complex.Re (w 0 j) * A j i.
    rewrite (big_morph _ (_ : {morph @complex.Re R : p q / p + q}) (erefl : complex.Re 0 = 0)); last by case=> ? ? [].
    apply: eq_bigr => j _; rewrite mxE /=.
    by case: (w 0 j) => p q /=; rewrite mulr0 subr0.
  have im : complex.Im (\sum_j w 0 j * C j i) = \sum_j complex.Im (w 0 j) * A j i.
    rewrite (big_morph _ (_ : {morph @complex.Im R : p q / p + q}) (erefl : complex.Im 0 = 0)); last by case=> ? ? [].
    apply: eq_bigr => j _; rewrite mxE /=.
    by case: (w 0 j) => p q /=; rewrite mulr0 add0r.
  have sA p q : A p q = A q p by rewrite -[in LHS]symA mxE.
  split.
    under eq_bigr => j _ do rewrite mxE sA mulrC.
    by rewrite -re e; case: (z) (w 0 i) => [? ?] [? ?].
  under eq_bigr => j _ do rewrite mxE sA mulrC.
  by rewrite -im e; case: (z) (w 0 i) => [? ?] [? ?].
have Ax : A *m x = complex.Re z *: x - complex.Im z *: y by apply/colP => i; rewrite (key i).1 !mxE.
have Ay : A *m y = complex.Re z *: y + complex.Im z *: x by apply/colP => i; rewrite (key i).2 !mxE.
have sum0 : complex.Im z * (norm2 x + norm2 y) = 0.
  have : dot y (A *m x) = dot x (A *m y) by rewrite dot_mulr symA dotC.
  rewrite Ax Ay dotBr dotDr !dotZr (dotC y x) => /eqP; rewrite -subr_eq0 -/(norm2 _) -/(norm2 _) => /eqP e.
  by apply/eqP; rewrite -oppr_eq0 -[X in _ == X]e; apply/eqP; ring.
have Im0 : complex.Im z = 0 \/ (x = 0 /\ y = 0).
  move/eqP: sum0; rewrite mulf_eq0 paddr_eq0 ?norm2_ge0 // !norm2_eq0.
  by case/orP => [/eqP|/andP[/eqP ? /eqP ?]]; [left|right].
have xy : x != 0 \/ y != 0.
  have [x0|] := eqVneq x 0; last by left.
  right; apply: contraNneq w0 => y0; apply/eqP/rowP => i; rewrite mxE.
  move: (congr1 (fun m : 'cV_ _ => m i 0) x0) (congr1 (fun m : 'cV_ _ => m i 0) y0).
  by rewrite !mxE; case: (w 0 i) => p q /= -> ->.
case: Im0 => [Im0|[x0 y0]]; last by case: xy; rewrite ?x0 ?y0 eqxx.
exists (complex.Re z).
by case: xy => [x0|y0]; [exists x|exists y]; rewrite // ?Ax ?Ay Im0 scale0r ?subr0 ?addr0.
Qed.

(* A reflection that takes the first unit vector to q. *)
Lemma householder n (q : 'cV[R]_n.+1) :
  norm2 q = 1 -> exists H : 'M[R]_n.+1, [/\ symmetric H, H *m H = 1%:M & H *m delta_mx 0 0 = q].
Proof.
move=> q1; pose e : 'cV[R]_n.+1 := delta_mx 0 0; pose u := q - e.
have e1 : norm2 e = 1.
  rewrite /norm2 /dot (bigD1 0) //= big1 => [|i i0]; first by rewrite !mxE eqxx /= mulr1 addr0.
  by rewrite !mxE (negPf i0) mul0r.
have [u0|u0] := eqVneq u 0.
  exists 1%:M; rewrite /symmetric trmx1 !mul1mx; split=> //.
  by apply/esym/eqP; rewrite -subr_eq0; apply/eqP.
have nu : norm2 u != 0 by rewrite norm2_eq0.
have nuE : norm2 u = - (dot u e *+ 2) by rewrite /u norm2D dotBl /norm2 dotNl dotNr dotNr -!/(norm2 _) q1 e1; ring.
pose c := 2%:R / norm2 u; have cu : c * norm2 u = 2%:R by rewrite divfK.
exists (1%:M - c *: outer u); split.
- by rewrite /symmetric linearB linearZ /= outer_sym trmx1.
- have UU : outer u *m outer u = norm2 u *: outer u by rewrite [LHS]mulmxA outer_mul -scalemxAl.
  rewrite mulmxBl mul1mx mulmxBr mulmx1 -scalemxAl -scalemxAr UU !scalerA -mulrA cu [c * _]mulr_natr.
  by rewrite mulr2n scalerDl opprB addrK subrK.
- rewrite mulmxBl mul1mx -scalemxAl outer_mul scalerA.
  have -> : c * dot u e = -1.
    by apply: (mulfI nu); rewrite mulrA [_ * c]mulrC cu nuE; ring.
  by rewrite scaleN1r opprK /u addrC subrK.
Qed.

Theorem diagonalisation d (A : 'M[R]_d) :
  symmetric A -> exists (Q : 'M[R]_d) l, frame Q /\ A = Q *m diag_mx l *m Q^T.
Proof.
elim: d A => [|n IH] A symA; first by exists 1%:M, 0; split; [rewrite /frame|]; apply/matrixP => -[].
have [a [v Av v0]] := symmetric_eigenvector symA.
pose q := (Num.sqrt (norm2 v))^-1 *: v.
have q1 : norm2 q = 1 by rewrite norm2Z exprVn sqr_sqrtr ?norm2_ge0 // mulVf // norm2_eq0.
have Aq : A *m q = a *: q by rewrite -scalemxAr Av !scalerA mulrC.
have [H [symH HH He]] := householder q1.
have [B Bdef] : exists B : 'M[R]_(1 + n), B = H *m A *m H by exists (H *m A *m H).
have symB : symmetric B by rewrite /symmetric Bdef !trmx_mul symA symH mulmxA.
have Be i : B i 0 = a * (i == 0)%:R.
  have /colP/(_ i) : B *m delta_mx 0 0 = a *: delta_mx 0 0 :> 'cV_n.+1.
    by rewrite Bdef -!mulmxA He Aq -scalemxAr -He mulmxA HH mul1mx.
  by rewrite -colE !mxE eqxx andbT.
have [Q' [l' [QQ' B'E]]] : exists (Q : 'M[R]_n) l, frame Q /\ drsubmx B = Q *m diag_mx l *m Q^T.
  by apply: IH; rewrite /symmetric trmx_drsub symB.
have BE : B = block_mx a%:M 0 0 (drsubmx B).
  have l0 : lshift n (0 : 'I_1) = 0 :> 'I_(1 + n) by exact: val_inj.
  have r0 (k : 'I_n) : (rshift 1 k == 0 :> 'I_(1 + n)) = false by [].
  rewrite -{1}[B]submxK; congr block_mx; apply/matrixP => i j; rewrite !mxE ?ord1 ?l0.
  - by rewrite Be !eqxx mulr1.
  - by rewrite -[B]symB mxE Be r0 mulr0.
  - by rewrite Be r0 mulr0.
pose G : 'M[R]_(1 + n) := block_mx 1%:M 0 0 Q'.
have BG : B = G *m block_mx a%:M 0 0 (diag_mx l') *m G^T.
  rewrite BE B'E tr_block_mx !mulmx_block !trmx0 trmx1 !mulmx0 !mul0mx !addr0 !add0r mul1mx mulmx1.
  by rewrite !mul0mx.
have GG : frame G.
  by rewrite /frame tr_block_mx mulmx_block !trmx0 trmx1 QQ' !mulmx0 !mul0mx !addr0 add0r mul1mx -scalar_mx_block.
exists (H *m G), (row_mx a%:M l'); split.
  by rewrite /frame trmx_mul symH -mulmxA (mulmxA H) HH mul1mx GG.
have -> : A = H *m B *m H by rewrite Bdef -!mulmxA HH mulmx1 mulmxA HH mul1mx.
rewrite trmx_mul symH -!mulmxA; congr (_ *m _); rewrite !mulmxA; congr (_ *m _).
have -> : diag_mx (row_mx a%:M l') = block_mx a%:M 0 0 (diag_mx l') :> 'M_(1 + n).
  by rewrite diag_mx_row; congr block_mx; apply/matrixP => i j; rewrite !mxE !ord1 eqxx.
exact: BG.
Qed.

Theorem spectral_theorem d (A : 'M[R]_d) : symmetric A -> exists Q l, spectrum Q l A.
Proof.
move=> /diagonalisation [Q [l [QQ AE]]].
pose ge := [rel x y : R | y <= x].
pose t := [tuple l 0 i | i < d]; pose u := sort_tuple ge t.
have /tuple_permP [s us] : perm_eq u t by rewrite /= perm_sort.
have QE : perm_mx s *m (perm_mx s)^T = 1%:M :> 'M[R]_d by rewrite tr_perm_mx -perm_mxM mulgV perm_mx1.
exists (Q *m (perm_mx s)^T), (\row_i l 0 (s i)); split.
- by rewrite /frame trmx_mul trmxK mulmxA -[_ *m Q]mulmxA QQ mulmx1 QE.
- rewrite AE trmx_mul trmxK !mulmxA; congr (_ *m _); rewrite -!mulmxA; congr (_ *m _).
  have <- : perm_mx s *m diag_mx l *m (perm_mx s)^T = diag_mx (\row_i l 0 (s i)).
    rewrite tr_perm_mx -row_permE -col_permE; apply/matrixP => i j; rewrite !mxE (inj_eq perm_inj).
    by case: eqVneq => // ->.
  have QE' : (perm_mx s)^T *m perm_mx s = 1%:M :> 'M[R]_d by apply: mulmx1C.
  by rewrite !mulmxA QE' mul1mx -mulmxA QE' mulmx1.
- move=> i j ij; rewrite !mxE.
  have tE k : l 0 (s k) = tnth u k by rewrite (tnth_nth 0) us -(tnth_nth 0 [tuple tnth t (s k) | k < d]) !tnth_mktuple.
  have trans : transitive ge by move=> y x z /= yx zy; exact: le_trans yx.
  have total : total ge by move=> x y /=; exact: le_total.
  rewrite !tE !(tnth_nth 0); apply: (sorted_leq_nth trans _ 0 (sort_sorted total t)) => //.
  - by move=> x; exact: lexx.
  - by rewrite inE size_sort size_tuple.
  - by rewrite inE size_sort size_tuple.
Qed.

End spectral_theorem.
